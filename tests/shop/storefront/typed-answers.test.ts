import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { shopOf } from '../../builders/shop/publishing.ts'
import { storeOf } from '../../builders/shop/storefront.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
let store: ReturnType<typeof storeOf>
beforeAll(async () => {
  world = await openWorld()
  shop = shopOf(world)
  store = storeOf(world, shop)
})
afterAll(() => world.close())

const option = (id: string) => ({ id, type: 'product', quantity: 1 })

/** A shop in which every member of an answer is there for some product. */
async function stocked() {
  const [book, vip] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const attributes = { description: 'Warm', slug: 'below', locales: { fr: { name: 'Dessous' } } }
  const below = await shop.node(hierarchy, node, { ...attributes, shopper_attributes: { floor: '2' } })
  const { parent, child } = await store.shirt()
  await shop.change(parent.id, {
    description: 'A shirt',
    upc_ean: '401',
    mpn: 'M-1',
    external_ref: 'ref',
    tags: ['warm'],
    locales: { fr: { name: 'Chemise' } },
    shopper_attributes: { care: 'cold' },
    custom_inputs: {
      front: { name: 'Front', validation_rules: [{ type: 'string', options: { max_length: 9 } }] },
    },
  })
  const size = (await shop.get(`/pcm/products/${parent.id}`)).data.meta.variations[0]
  await shop.send(
    'PUT',
    `/pcm/variations/${size.id}/options/${size.options[0].id}`,
    { type: 'product-variation-option', id: size.options[0].id, attributes: { sort_order: 3 } },
    200,
  )
  const tie = await shop.product({ sku: 'tie' })
  const set = await shop.product({
    sku: 'set',
    components: { tie: { name: 'Tie', min: 1, options: [option(tie)] } },
  })
  const bundle = await shop.product({
    components: {
      shirt: {
        name: 'Shirt',
        min: 1,
        max: 1,
        options: [{ ...option(parent.id), min: 1, max: 2, default: true }],
      },
      more: { name: 'More', sort_order: 1, options: [{ ...option(set), default: true }] },
      none: { name: 'None', options: [option(tie)] },
    },
  })
  await shop.put(hierarchy, node, parent.id, bundle, set)
  await shop.put(hierarchy, below, tie)
  await shop.send(
    'PUT',
    `/pcm/hierarchies/${hierarchy}/nodes/${node}`,
    { type: 'node', id: node, attributes: { curated_products: [set] } },
    200,
  )
  const flow = await makeFlow(world.admin, 'products(care)', { wash: { field_type: 'string' } })
  await world.admin.post(`/pcm/products/${tie}/relationships/templates`, {
    data: [{ type: 'template', id: flow.id }],
  })
  await flow.create({ id: tie, wash: '30 C' })
  const form = new FormData()
  form.append('file_location', 'https://files.example/tie.png')
  const file = (await world.admin.send('POST', '/v2/files', { body: form })).body.data
  await world.admin.post(`/pcm/products/${tie}/relationships/files`, {
    data: [{ type: 'file', id: file.id }],
  })
  await world.admin.post(`/pcm/products/${tie}/relationships/main_image`, {
    data: { type: 'file', id: file.id },
  })
  const associated = { type: 'custom-relationship', attributes: { name: 'Goes with', slug: 'CRP_with' } }
  await shop.send('POST', '/pcm/custom-relationships', associated, 201)
  await world.admin.post(`/pcm/products/${tie}/custom-relationships`, {
    data: [{ type: 'custom-relationship', slug: 'CRP_with' }],
  })
  const joined = await world.admin.post(`/pcm/products/${tie}/custom-relationships/CRP_with`, {
    data: [option(set)],
  })
  expect([200, 201]).toContain(joined.status)
  const tiers = { many: { minimum_quantity: 10, amount: 400 } }
  await store.price(book, parent.sku, {
    currencies: { USD: { amount: 500, includes_tax: false, tiers } },
    sales: {
      spring: {
        schedule: { valid_from: '2020-01-01T00:00:00.000Z', valid_to: '2099-01-01T00:00:00.000Z' },
        currencies: { USD: { amount: 450, tiers: { many: { minimum_quantity: 10, amount: 350 } } } },
      },
      later: { schedule: { valid_from: '2098-01-01T00:00:00.000Z' }, currencies: { USD: { amount: 1 } } },
    },
    shopper_attributes: { origin: 'far' },
  })
  await store.dollars(book, 'tie', 100)
  await store.dollars(vip, 'tie', 90)
  await store.modifier(book, {
    name: 'PriceL',
    modifier_type: 'price_increment',
    currencies: { USD: { amount: 50, includes_tax: false } },
  })
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book, enable_price_segmentation: true })
  await store.lead(catalog, 'typed')
  await store.lead(catalog, 'vip', {
    pricebook_ids: [
      { id: vip, priority: 1 },
      { id: book, priority: 2 },
    ],
  })
  const release = await shop.publish(catalog)
  return { hierarchy, node, below, parent, child, tie, set, bundle, catalog, release }
}

test('answers have every member of products and nodes that the API document declares', async () => {
  const { hierarchy, node, below, parent, child, tie, set, bundle, catalog, release } = await stocked()
  // That each answer fits the API document, and has no member beside it, is watched in all tests.
  const read = async (path: string, headers: Record<string, string>): Promise<Any> => {
    const { status, body } = await world.admin.get(path, headers)
    expect([path, status, body.errors]).toEqual([path, 200, undefined])
    return body
  }
  const lists = [
    ['/hierarchies'],
    ['/hierarchies/{hierarchy_id}', hierarchy],
    ['/hierarchies/{hierarchy_id}/nodes', hierarchy],
    ['/hierarchies/{hierarchy_id}/children', hierarchy],
    ['/hierarchies/{hierarchy_id}/products', hierarchy],
    ['/nodes'],
    ['/nodes/{node_id}', hierarchy, node, below],
    ['/nodes/{node_id}/relationships/children', hierarchy, node],
    ['/nodes/{node_id}/relationships/products', node, below],
    ['/products'],
    ['/products/{product_id}', parent.id, child.id, tie, set, bundle],
    ['/products/{product_id}/relationships/children', parent.id],
    ['/products/{product_id}/relationships/component_products', bundle],
    ['/products/{product_id}/relationships/{slug}/products', tie],
  ] as const
  const members = new Set<string>()
  const collect = (one: Any) => {
    for (const part of ['attributes', 'meta', 'relationships']) {
      for (const key of Object.keys(one?.[part] ?? {})) members.add(`${one.type} ${part}.${key}`)
    }
  }
  const shopper = { 'accept-language': 'fr', prefer: 'explain' }
  const merchant = {
    ...shopper,
    'EP-Pricebook-IDs-Of-Available-Prices-To-Show': 'all',
  }
  const families = [
    ['/catalog', { ...shopper, 'ep-channel': 'typed' }],
    ['/catalog', { ...shopper, 'ep-channel': 'vip' }],
    [`/catalogs/${catalog}/releases/${release.id}`, merchant],
  ] as const
  for (const [prefix, headers] of families) {
    for (const [path, ...ids] of lists) {
      for (const id of ids.length ? ids : ['']) {
        const own = path.replace('{slug}', 'CRP_with').replace(/\{\w+\}/, id)
        const include = path.includes('products') ? '?include=files,main_image,component_products' : ''
        const { data } = await read(prefix + own + include, headers)
        for (const one of [data].flat()) collect(one)
      }
    }
    const chosen = { shirt: { [child.id]: 2 }, more: { [set]: 1 } }
    const { status, body } = await world.admin.send('POST', `${prefix}/products/${bundle}/configure`, {
      headers,
      body: JSON.stringify({ data: { selected_options: chosen } }),
    })
    expect([status, body.errors]).toEqual([200, undefined])
    collect(body.data)
  }
  const channel = { 'ep-channel': 'typed', prefer: 'explain' }
  const inRelease = `/catalogs/${catalog}/releases/${release.id}`
  for (const path of [
    '/catalog',
    '/catalogs/nodes',
    `/catalogs/nodes/${node}`,
    `/catalogs/nodes/${node}/relationships/children`,
    `${inRelease}/hierarchies/${hierarchy}/relationships/products`,
    `/catalogs/${catalog}/releases`,
    inRelease,
  ]) {
    await read(path, path.startsWith(`/catalogs/${catalog}`) ? {} : channel)
  }
  await read('/pcm/hierarchies/nodes?include_hierarchies=true', {})
  // A member that no answer has is not declared.
  const { components } = (await world.admin.get('/openapi.json')).body
  for (const name of ['PublishedProduct', 'PublishedNode', 'PublishedHierarchy']) {
    const { properties } = components.schemas[name]
    const { const: type } = properties.type
    for (const part of ['attributes', 'meta', 'relationships']) {
      for (const key of Object.keys(properties[part].properties)) {
        if (
          type === 'hierarchy' &&
          ['description', 'slug', 'shopper_attributes', 'bread_crumb', 'language'].includes(key)
        )
          continue
        expect(members).toContain(`${type} ${part}.${key}`)
      }
    }
  }
}, 240_000)
