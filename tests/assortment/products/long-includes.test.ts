import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const newProduct = async (name: string): Promise<string> => {
  const attributes = { name, sku: name, commodity_type: 'physical' }
  const { status, body } = await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
  expect(status).toBe(201)
  return body.data.id
}

test('a product includes so much that a process can hold it, and is refused beyond', async () => {
  const bundle = await newProduct('SET')
  const parts: string[] = []
  for (let i = 0; i < 9; i++) parts.push(await newProduct(`PART-${i}`))
  const lengthen = (chars: number) =>
    world.sql(
      `UPDATE products SET doc = jsonb_set(doc::jsonb, '{attributes,description}', to_jsonb(repeat('x', $3)))::json
       WHERE store_id = $1 AND id = ANY($2::uuid[])`,
      [world.storeId, parts, chars],
    )
  await world.sql(
    `INSERT INTO product_components (store_id, bundle_id, id, created_at, updated_at, doc)
     SELECT store_id, $2, id, created_at, updated_at, '{}' FROM products WHERE store_id = $1 AND id = ANY($3::uuid[])`,
    [world.storeId, bundle, parts],
  )
  const read = () => world.admin.get(`/pcm/products/${bundle}?include=component_products`)
  await lengthen(800_000)
  const shown = await read()
  expect([shown.status, shown.body.included.component_products.length]).toEqual([200, 9])
  await lengthen(1_000_000)
  const { status, body } = await read()
  expect([status, body.errors[0].source, body.errors[0].detail]).toEqual([
    400,
    'include',
    expect.stringContaining('8388608 characters'),
  ])
  expect((await world.admin.get(`/pcm/products/${bundle}`)).status).toBe(200)
})
