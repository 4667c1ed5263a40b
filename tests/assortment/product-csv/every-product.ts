import { expect } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import type { World } from '../../support/world.ts'

/** A store with products of every type, each with every relationship that its type can have. */
export async function makeEveryProduct(world: World) {
  const { admin } = world
  const merchant = new Merchant(world)
  const done = async (reply: Promise<{ status: number; body: { errors?: unknown } }>) => {
    const { status, body } = await reply
    expect([status < 300, body?.errors]).toEqual([true, undefined])
  }

  async function newFile(): Promise<string> {
    const part =
      'content-disposition: form-data; name="file_location"\r\n\r\nhttps://pictures.example.com/a.png'
    const { body } = await admin.send('POST', '/v2/files', {
      body: `--b\r\n${part}\r\n--b--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
    return body.data.id
  }
  const files = [await newFile(), await newFile()]
  const book = { isbn: { field_type: 'string' }, pages: { field_type: 'integer' } }
  const flow = await makeFlow(admin, 'products(book)', book)

  const size = await merchant.variation('Size', 'S', 'M')
  const hue = await merchant.variation('Hue', 'red', 'blue')
  const more = (sku: string) => ({
    sku,
    slug: sku,
    description: 'Warm, "soft"',
    tags: ['a', 'b'],
    external_ref: `ref ${sku}`,
    locales: { 'fr-FR': { name: 'Chemise', description: 'Douce' } },
    custom_inputs: { initials: { name: 'Initials', required: false } },
    admin_attributes: { bin: 'A7', shelf: '' },
    shopper_attributes: { fit: 'slim' },
  })
  const standard = await merchant.product({ name: 'Scarf', ...more('scarf') })
  const parent = await merchant.product({
    ...more('shirt'),
    build_rules: { default: 'include', exclude: [[size.of.S, hue.of.blue]] },
  })
  await merchant.link(parent, size.id, hue.id)
  expect(await merchant.build(parent)).toEqual([])
  const children = Object.values(await merchant.children(parent))
  expect(children.length).toBe(3)
  const options = [standard, children[0]].map((id) => ({ id, type: 'product', quantity: 1 }))
  const components = { it: { name: 'It', options, min: 1, max: 2 } }
  const bundle = await merchant.product({ name: 'Kit', ...more('kit'), components })

  const relationship = { type: 'custom-relationship', attributes: { name: 'Goes with', slug: 'with' } }
  await done(admin.post('/pcm/custom-relationships', { data: relationship }))
  const shop = { type: 'hierarchy', attributes: { name: 'Shop' } }
  const hierarchy = (await admin.post('/pcm/hierarchies', { data: shop })).body.data.id
  const wear = { type: 'node', attributes: { name: 'Wear' } }
  const node = (await admin.post(`/pcm/hierarchies/${hierarchy}/nodes`, { data: wear })).body.data.id

  const all = [standard, parent, ...children, bundle]
  for (const [i, id] of all.entries()) {
    const at = (path: string) => `/pcm/products/${id}/${path}`
    const [first, second] = i % 2 ? files : files.toReversed()
    await done(admin.post(at('relationships/main_image'), { data: { type: 'file', id: first } }))
    const linked = [first, second].map((file) => ({ type: 'file', id: file, meta: { tags: ['front'] } }))
    await done(admin.post(at('relationships/files'), { data: linked }))
    await done(admin.post(at('relationships/templates'), { data: [{ type: 'template', id: flow.id }] }))
    const values = { type: 'entry', id, isbn: `978-${i}`, pages: i }
    await done(admin.post('/v2/flows/products(book)/entries', { data: values }))
    const slugs = [{ type: 'custom-relationship', slug: 'CRP_with' }]
    await done(admin.post(at('custom-relationships'), { data: slugs }))
    const others = [{ type: 'product', id: all[(i + 1) % all.length] }]
    await done(admin.post(at('custom-relationships/CRP_with'), { data: others }))
  }
  const products = all.slice(0, 3).map((id) => ({ type: 'product', id }))
  await done(
    admin.post(`/pcm/hierarchies/${hierarchy}/nodes/${node}/relationships/products`, { data: products }),
  )
  return { files, ids: all }
}

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Whatever the store has about products, by table, in an order of its own. */
export async function everything(world: World): Promise<Readonly<Record<string, Rows>>> {
  const { rows: tables } = await world.sql(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND (c.column_name = 'product_id' OR (c.table_name = 'products' AND c.column_name = 'id'))`,
  )
  const all: Record<string, Rows> = {}
  for (const { name } of tables) {
    const { rows } = await world.sql(
      `SELECT json AS row FROM (SELECT to_json(t) AS json FROM ${name} t) one ORDER BY json::text`,
    )
    all[name] = rows.map(({ row }) => row)
  }
  return all
}
