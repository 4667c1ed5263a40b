import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../flows/flows.ts'
import { openWorld, type World } from '../support/world.ts'
import { newProduct } from './objects.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const shown = async (id: string) =>
  (await world.admin.get(`/pcm/products/${id}`)).body.data.attributes.extensions

test('a product shows all fields of its templates: null where nothing is said, or nothing', async () => {
  const { id } = await newProduct(world.admin)
  expect(await shown(id)).toBeUndefined()
  const slug = 'products(book.paper)'
  const book = await makeFlow(world.admin, slug, {
    isbn: { field_type: 'string' },
    cover: { field_type: 'string', omit_null: true },
  })
  const empty = await makeFlow(world.admin, 'products(empty)', {})
  expect((await book.create({ id, isbn: '"x\\', cover: null })).status).toBe(201)
  expect((await empty.create({ id })).status).toBe(201)
  expect(await shown(id)).toEqual({ [slug]: { isbn: '"x\\' }, 'products(empty)': {} })
  await book.addField('pages', { field_type: 'integer', default: 7 })
  await book.addField('ribbon', { field_type: 'boolean', omit_null: true })
  const path = `${book.entries}/${id}`
  for (const values of [
    { isbn: 'y' },
    { pages: 3, ribbon: false },
    { pages: null, ribbon: null, cover: 'red' },
  ]) {
    const { body } = await world.admin.get(path)
    const { type: _type, id: _id, meta: _meta, links: _links, ...own } = body.data
    expect((await shown(id))[slug], 'as the entry itself is shown').toEqual(own)
    expect((await world.admin.put(path, { data: { type: 'entry', ...values } })).status).toBe(200)
  }
  await book.change('cover', { enabled: false })
  expect((await shown(id))[slug]).toEqual({ isbn: 'y', pages: null })
  const { body } = await world.admin.get('/pcm/products')
  expect(body.data[0].attributes.extensions[slug]).toEqual({ isbn: 'y', pages: null })
})
