import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { products as resource } from '../../../server/assortment/index.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { namesIn, newProduct, product, put, refusal } from '../../builders/assortment/products.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const shown = async (id: string) => (await world.admin.get(`/pcm/products/${id}`)).body.data

test('a product is shown with its type, owner and links', async () => {
  const { id, ...product } = await newProduct(world.admin, {
    sku: 'LOAF',
    slug: 'loaf',
    upc_ean: '4006381333931',
  })
  const linked = (path: string) => ({ data: [], links: { self: `/products/${id}/${path}` } })
  expect(product).toEqual({
    type: 'product',
    attributes: {
      name: 'Rye loaf',
      commodity_type: 'physical',
      sku: 'LOAF',
      slug: 'loaf',
      upc_ean: '4006381333931',
      status: 'draft',
    },
    relationships: {
      children: linked('children'),
      component_products: linked('relationships/component_products'),
      files: linked('relationships/files'),
      main_image: { data: null },
      templates: linked('relationships/templates'),
      variations: linked('relationships/variations'),
    },
    meta: {
      created_at: expect.any(String),
      updated_at: expect.any(String),
      owner: 'store',
      product_types: ['standard'],
      variation_matrix: {},
    },
    links: { self: `/products/${id}` },
  })
})

test.for(['sku', 'slug'])('a %s belongs to one product, even if many are created at once', async (name) => {
  const attributes = { [name]: `one-${name}` }
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => world.admin.post('/pcm/products', product(attributes))),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  const refused = replies.find(({ status }) => status === 422)
  const source = `data.attributes.${name}`
  expect(refused && refusal(refused)).toEqual([422, source, `${source}: Must be unique amongst products.`])
  expect((await world.other.post('/pcm/products', product(attributes))).status).toBe(201)
  // Without one there may be many.
  await Promise.all([newProduct(world.admin), newProduct(world.admin, { [name]: null })])
})

test('an update changes the sent fields and keys; locales are replaced as a whole', async () => {
  const { id } = await newProduct(world.admin, {
    description: 'Dark',
    tags: ['Rye', 'bread', 'rye'],
    admin_attributes: { shelf: '4', cost: '1.20' },
    shopper_attributes: { crumb: 'dense' },
    locales: { 'de-DE': { name: 'Roggenlaib' }, 'fr-FR': { name: 'Pain de seigle' } },
    custom_inputs: {
      front: { name: 'Text', validation_rules: [{ type: 'string', options: { max_length: 9 } }] },
    },
  })
  expect((await shown(id)).attributes.tags).toEqual(['rye', 'bread'])
  const { status, body } = await put(world.admin, id, {
    tags: ['TOAST'],
    admin_attributes: { shelf: null, row: '2' },
    locales: { 'de-DE': { name: 'Brot' } },
  })
  expect([status, body.data.attributes]).toEqual([
    200,
    {
      name: 'Rye loaf',
      commodity_type: 'physical',
      status: 'draft',
      description: 'Dark',
      tags: ['toast'],
      admin_attributes: { cost: '1.20', row: '2' },
      shopper_attributes: { crumb: 'dense' },
      locales: { 'de-DE': { name: 'Brot' } },
      custom_inputs: {
        front: { name: 'Text', validation_rules: [{ type: 'string', options: { max_length: 9 } }] },
      },
    },
  ])
})

test.for<[attributes: object, source: string]>([
  [{ name: null }, 'name'],
  [{ commodity_type: 'liquid' }, 'commodity_type'],
  [{ slug: 'a b' }, 'slug'],
  [{ tags: ['two words'] }, 'tags.0'],
  [{ tags: ['a,b'] }, 'tags.0'],
  [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'tags'],
  [{ locales: { de: { description: 'x' } } }, 'locales.de.name'],
  [
    { custom_inputs: { a: { validation_rules: [{ type: 'string', options: { max_length: 256 } }] } } },
    'custom_inputs.a.validation_rules.0.options.max_length',
  ],
  [{ build_rules: { include: [] } }, 'build_rules.default'],
  [{ admin_attributes: { a: 1 } }, 'admin_attributes.a'],
  [{ external_ref: 'x'.repeat(2049) }, 'external_ref'],
])('%j is refused', async ([attributes, source]) => {
  const reply = await world.admin.post('/pcm/products', product(attributes))
  expect(refusal(reply).slice(0, 2)).toEqual([422, `data.attributes.${source}`])
})

describe('children', () => {
  const newChild = async (parent_id: string, name: string) => {
    const child_variations = [
      { id: randomUUID(), name: 'Size', options: null, option: { id: randomUUID(), name } },
    ]
    return add(world.work, resource, [], { name, commodity_type: 'physical', parent_id, child_variations })
  }

  test('show their parent, are listed below it, and are deleted with it', async () => {
    const { id } = await newProduct(world.admin, { name: 'Parent' })
    const child = await newChild(id, 'Small')
    await newChild(id, 'Large')
    const { body } = await world.admin.get(`/pcm/products/${child.id}`)
    expect(body.data.relationships.base_product).toEqual({ data: { type: 'product', id } })
    expect(body.data.meta).toMatchObject({
      product_types: ['child'],
      child_variations: [{ option: { name: 'Small' } }],
    })
    expect(await namesIn(world.admin, `/pcm/products/${id}/children`)).toEqual(['Large', 'Small'])
    expect(await namesIn(world.admin, `/pcm/products/${id}/children?filter=eq(name,Small)`)).toEqual([
      'Small',
    ])
    expect(await namesIn(world.admin, `/pcm/products?filter=eq(parent_id,${id})`)).toEqual(['Large', 'Small'])
    expect((await world.admin.get(`/pcm/products/${child.id}/children`)).body.data).toEqual([])
    expect((await world.other.get(`/pcm/products/${id}/children`)).status).toBe(404)
    expect((await world.admin.delete(`/pcm/products/${id}`)).status).toBe(204)
    expect((await world.admin.get(`/pcm/products/${child.id}`)).status).toBe(404)
  })

  test('are marked when they are changed by themselves, but not by an update that changes nothing', async () => {
    const { id } = await newProduct(world.admin)
    const [one, other] = [await newChild(id, 'One'), await newChild(id, 'Other')]
    await put(world.admin, one.id, { status: 'live' })
    await put(world.admin, other.id, { status: 'draft' })
    const { rows } = await world.sql(
      `SELECT name, hidden->>'edited' AS edited FROM products WHERE parent_id = $1 ORDER BY name`,
      [id],
    )
    expect(rows).toEqual([
      { name: 'One', edited: 'true' },
      { name: 'Other', edited: null },
    ])
  })
})
