import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { namesIn, newProduct, put, refusal } from '../../builders/assortment/products.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** As its bytes would, but for them. */
async function newFile(): Promise<string> {
  const form = new FormData()
  form.append('file_location', `https://pictures.example.com/${randomUUID()}.png`)
  const headers = { authorization: `Bearer ${await bearer()}` }
  const reply = await fetch(`${world.url}/v2/files`, { method: 'POST', headers, body: form })
  const { data, errors } = (await reply.json()) as { data?: { id: string }; errors?: unknown }
  if (!data) throw new Error(JSON.stringify(errors))
  return data.id
}

let token: string | undefined
async function bearer(): Promise<string> {
  if (token) return token
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: world.key.id,
    client_secret: world.key.secret,
  })
  const reply = await fetch(`${world.url}/oauth/access_token`, { method: 'POST', body })
  token = ((await reply.json()) as { access_token: string }).access_token
  return token
}

const at = (id: string, path: string) => `/pcm/products/${id}/relationships/${path}`
const send = (method: string, path: string, data: unknown) =>
  world.admin.send(method, path, { body: JSON.stringify({ data }) })
const file = (id: string, more: object = {}) => ({ type: 'file', id, ...more })
const shown = async (id: string) => (await world.admin.get(`/pcm/products/${id}`)).body.data

test('files are added, replaced and removed; deleting a file removes its link', async () => {
  const { id } = await newProduct(world.admin)
  const [a, b, c] = [await newFile(), await newFile(), await newFile()]
  const path = at(id, 'files')
  const linked = async () =>
    (await world.admin.get(path)).body.data.sort((x: { id: string }, y: { id: string }) =>
      x.id < y.id ? -1 : 1,
    )
  expect((await send('POST', path, [])).status).toBe(204)
  expect((await send('POST', path, [file(b, { meta: { tags: ['front'] } }), file(a)])).status).toBe(204)
  expect(await linked()).toEqual([file(a), file(b, { meta: { tags: ['front'] } })])
  expect((await send('PUT', path, [file(b), file(c)])).status).toBe(204)
  expect((await send('DELETE', path, [file(b)])).status).toBe(204)
  expect(await linked()).toEqual([file(c)])
  expect(refusal(await send('POST', path, [file(randomUUID())])).slice(0, 2)).toEqual([404, 'data.0.id'])
  expect((await world.admin.delete(`/v2/files/${c}`)).status).toBe(204)
  expect(await linked()).toEqual([])
})

test('the main image is shown with the product, read as a list, and removed with its file', async () => {
  const { id, relationships } = await newProduct(world.admin)
  const [a, b] = [await newFile(), await newFile()]
  const path = at(id, 'main_image')
  expect([relationships.main_image, (await world.admin.get(path)).body.data]).toEqual([{ data: null }, []])
  expect((await send('POST', path, file(a))).status).toBe(204)
  expect((await send('PUT', path, file(b))).status).toBe(204)
  expect((await shown(id)).relationships.main_image).toEqual({ data: file(b) })
  expect((await world.admin.get(path)).body.data).toEqual([file(b)])
  const before = await world.admin.get(`/pcm/products/${id}`)
  expect((await world.admin.delete(`/v2/files/${b}`)).status).toBe(204)
  const after = await world.admin.get(`/pcm/products/${id}`)
  expect(after.body.data.relationships.main_image).toEqual({ data: null })
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  await send('POST', path, file(a))
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await shown(id)).relationships.main_image).toEqual({ data: null })
})

test('products include their files, main images and components', async () => {
  const [a, b] = [await newFile(), await newFile()]
  const part = await newProduct(world.admin, { name: 'Part' })
  const components = { it: { name: 'It', options: [{ id: part.id, type: 'product', quantity: 2 }] } }
  const { id } = await newProduct(world.admin, { name: 'Kit', components })
  await send('POST', at(id, 'main_image'), file(a))
  await send('POST', at(part.id, 'main_image'), file(a))
  await send('POST', at(id, 'files'), [file(a), file(b)])
  const query = 'include=main_image,files,component_products'
  const { body } = await world.admin.get(`/pcm/products/${id}?${query}`)
  const idsIn = (name: string) => body.included[name].map((one: { id: string }) => one.id).sort()
  expect([idsIn('main_images'), idsIn('files'), idsIn('component_products')]).toEqual([
    [a],
    [a, b].sort(),
    [part.id],
  ])
  expect(body.included.main_images[0].link.href).toMatch(/^https:\/\/pictures\.example\.com\//)
  const list = await world.admin.get(`/pcm/products?filter=in(id,${id},${part.id})&${query}`)
  expect(list.body.included.main_images).toEqual(body.included.main_images)
  expect((await world.admin.get(`/pcm/products/${id}`)).body.included).toBeUndefined()
})

test('templates are flows, and products are filtered by them and by their fields', async () => {
  const [with1, without] = [await newProduct(world.admin, { name: 'With' }), await newProduct(world.admin)]
  const make = async (path: string, data: object) => {
    const reply = await world.admin.post(path, { data })
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body.data
  }
  const slug = 'products(book)'
  const flow = await make('/v2/flows', {
    type: 'flow',
    name: 'Book',
    slug,
    description: 'Of books',
    enabled: true,
  })
  await make('/v2/fields', {
    type: 'field',
    name: 'ISBN',
    slug: 'isbn',
    field_type: 'string',
    description: 'Its number',
    required: false,
    enabled: true,
    validation_rules: [],
    relationships: { flow: { data: { type: 'flow', id: flow.id } } },
  })
  const path = at(with1.id, 'templates')
  const template = { type: 'template', id: flow.id }
  const added = await send('POST', path, [template])
  expect([added.status, added.body.data]).toEqual([201, [template]])
  expect((await world.admin.get(path)).body.data).toEqual([template])
  expect(refusal(await send('POST', path, [{ ...template, type: 'flow' }])).slice(0, 2)).toEqual([
    400,
    'data.0.type',
  ])
  expect(await namesIn(world.admin, `/pcm/products?filter=eq(templates,${flow.id})`)).toEqual(['With'])
  await make(`/v2/flows/${encodeURIComponent(slug)}/entries`, { type: 'entry', id: with1.id, isbn: '978' })
  expect(await namesIn(world.admin, '/pcm/products?filter=eq(extensions.book.isbn,978)')).toEqual(['With'])
  // What they say is shown with the product, in each answer, and is no part of what is stored of it.
  const extensions = { [slug]: { isbn: '978' } }
  expect((await shown(with1.id)).attributes.extensions).toEqual(extensions)
  const put1 = await put(world.admin, with1.id, { sku: 'WITH', extensions: { [slug]: { isbn: '1' } } })
  expect(put1.body.data.attributes).toMatchObject({ sku: 'WITH', extensions })
  const page = await world.admin.get(`/pcm/products?filter=in(id,${with1.id},${without.id})`)
  const byName = (name: string) =>
    page.body.data.find(({ attributes }: { attributes: { name: string } }) => attributes.name === name)
      .attributes
  expect([byName('With').extensions, byName('Rye loaf').extensions]).toEqual([extensions, undefined])
  const { rows } = await world.sql(
    `SELECT doc->'attributes'->'extensions' AS stored FROM products WHERE id = $1`,
    [with1.id],
  )
  expect(rows).toEqual([{ stored: null }])
  expect(await namesIn(world.admin, '/pcm/products?filter=eq(extensions.book.isbn,979)')).toEqual([])
  expect((await send('DELETE', path, [template])).status).toBe(204)
  expect(await namesIn(world.admin, `/pcm/products?filter=eq(templates,${flow.id})`)).toEqual([])
  expect((await shown(without.id)).id).toBe(without.id)
})
