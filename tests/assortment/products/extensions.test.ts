import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProduct } from '../../builders/assortment/products.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const shown = async (id: string) =>
  (await world.admin.get(`/pcm/products/${id}`)).body.data.attributes.extensions

test('a product shows all fields of its templates, with null for missing values', async () => {
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

test('every change of a template entry makes a new version of its product', async () => {
  const { admin } = world
  const [{ id }, other] = [await newProduct(admin), await newProduct(admin)]
  const slug = 'products(shoe)'
  const shoe = await makeFlow(admin, slug, { size: { field_type: 'integer' }, hue: { field_type: 'string' } })
  expect((await shoe.create({ id, size: 41, hue: 'red' })).status).toBe(201)
  const tagOf = async (of: string) => (await admin.get(`/pcm/products/${of}`)).headers.get('etag')
  const untouched = await tagOf(other.id)
  const put = (data: object) => admin.put(shoe.path, { data: { type: 'flow', ...data } })
  const changes: readonly (readonly [() => Promise<{ status: number }>, object | undefined])[] = [
    [() => shoe.change('size', { slug: 'number' }), { [slug]: { number: 41, hue: 'red' } }],
    [() => shoe.change('hue', { enabled: false }), { [slug]: { number: 41 } }],
    [() => put({ enabled: false }), undefined],
    [() => put({ enabled: true }), { [slug]: { number: 41 } }],
    [() => put({ slug: 'products(boot)' }), { 'products(boot)': { number: 41 } }],
    [() => shoe.drop('size'), { 'products(boot)': {} }],
    [() => admin.delete(shoe.path), undefined],
  ]
  for (const [change, expected] of changes) {
    const before = await tagOf(id)
    expect((await change()).status).toBeLessThan(300)
    expect([expected, await shown(id)]).toEqual([expected, expected])
    expect([expected, (await tagOf(id)) === before]).toEqual([expected, false])
  }
  expect(await tagOf(other.id)).toBe(untouched)
})
