import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { idsOf, storeOf } from '../../builders/shop/storefront.ts'
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

test('a child has the price of the worked example, in each currency', async () => {
  await store.currency('GBP', '£{price}')
  await store.currency('JPY', '¥{price}', 0)
  const [retail, vip] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  const { parent, child } = await store.shirt()
  await shop.put(hierarchy, node, parent.id)
  await store.price(retail, parent.sku, {
    currencies: {
      USD: { amount: 2000, includes_tax: false, tiers: { ten: { minimum_quantity: 10, amount: 1800 } } },
      GBP: { amount: 1700, includes_tax: false },
    },
    sales: {
      Summer: {
        schedule: { valid_from: '2020-01-01T00:00:00Z', valid_to: '2999-01-01T00:00:00Z' },
        currencies: { USD: { amount: 1500, includes_tax: false } },
      },
    },
  })
  await store.modifier(retail, {
    name: 'PriceL',
    modifier_type: 'price_increment',
    currencies: { USD: { amount: 300 } },
  })
  const pricebook_ids = [
    { id: retail, priority: 1 },
    { id: vip, priority: 9 },
  ]
  const catalog = await shop.catalog([hierarchy], { pricebook_ids })
  await shop.publish(catalog)
  await store.lead(catalog, 'worked')
  const read = (headers = {}) => store.read('worked', `/catalog/products/${child.id}`, headers)
  const { data, links } = await read()
  const dollars = (amount: number) => ({
    without_tax: { amount, currency: 'USD', float_price: amount / 100, formatted: `$${amount / 100}.00` },
  })
  expect(data.attributes).toMatchObject({
    base_product: false,
    base_product_id: parent.id,
    price: { USD: { amount: 1800, includes_tax: false }, GBP: { amount: 1700, includes_tax: false } },
    price_modifiers: ['PriceL'],
  })
  expect(data.meta).toMatchObject({
    catalog_id: catalog,
    pricebook_id: retail,
    product_types: ['child'],
    bread_crumbs: { [node]: [hierarchy] },
    bread_crumb_nodes: [node],
    sale_id: 'Summer',
    sale_expires: '2999-01-01T00:00:00.000Z',
    original_price: { USD: { amount: 2300, includes_tax: false } },
    display_price: dollars(1800),
    original_display_price: dollars(2300),
  })
  expect(data.relationships).toMatchObject({
    parent: { data: { type: 'product', id: parent.id } },
    files: { data: [] },
  })
  expect(links.self).toBe(`${world.url}/catalog/products/${child.id}`)

  const { data: inPounds } = await read({ 'x-moltin-currency': 'GBP' })
  expect(inPounds.meta.display_price.without_tax.formatted).toBe('£17.00')
  expect(inPounds.meta).not.toHaveProperty('original_display_price')
  const { data: inYen } = await read({ 'X-MOLTIN-CURRENCY': 'jpy' })
  expect(inYen.meta).not.toHaveProperty('display_price')
  expect(inYen.attributes.price).toEqual(data.attributes.price)

  const { data: shirt } = await store.read('worked', `/catalog/products/${parent.id}`)
  const at = `/catalog/products/${parent.id}/relationships/children`
  expect(shirt.attributes.base_product).toBe(true)
  expect(shirt.relationships.children.links.self).toBe(at)
  expect(idsOf(await store.read('worked', at))).toEqual([child.id])
  expect((await store.see('worked', at.replace(parent.id, child.id))).status).toBe(422)
})

test('a sale begins and ends without a release, and the tag of a product changes with its price', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const product = await shop.product({ sku: 'on-sale' })
  await shop.put(hierarchy, node, product)
  await store.price(book, 'on-sale', {
    currencies: { USD: { amount: 1000, includes_tax: true } },
    sales: {
      Soon: {
        schedule: { valid_from: '2030-01-01T00:00:00Z', valid_to: '2030-02-01T00:00:00Z' },
        currencies: { USD: { amount: 800, includes_tax: true } },
      },
    },
  })
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'sale')
  const at = async (time: string, more = {}) =>
    world.admin.get(`/catalog/products/${product}`, { 'ep-channel': 'sale', 'sutler-at': time, ...more })
  const amounts = []
  for (const time of [
    '2029-12-31T23:59:59Z',
    '2030-01-01T00:00:00Z',
    '2030-01-31T23:59:59Z',
    '2030-02-01T00:00:00Z',
  ]) {
    const { body } = await at(time)
    amounts.push(body.data.meta.display_price.with_tax.amount)
  }
  expect(amounts).toEqual([1000, 800, 800, 1000])
  const before = (await at('2029-12-31T23:59:59Z')).headers.get('etag') as string
  expect((await at('2029-12-31T23:59:59Z', { 'if-none-match': before })).status).toBe(304)
  expect((await at('2030-01-01T00:00:00Z', { 'if-none-match': before })).status).toBe(200)
})

test('bundles cost the sum of their default selection, and options have their prices within the bundle', async () => {
  const book = await store.pricebook()
  const { hierarchy, node } = await store.shelf()
  const [a, b, c, unpriced] = [
    await shop.product({ sku: 'b-a' }),
    await shop.product({ sku: 'b-b' }),
    await shop.product({ sku: 'b-c' }),
    await shop.product({ sku: 'b-none' }),
  ]
  const of = (id: string, more = {}) => ({ id, type: 'product', quantity: 1, ...more })
  const bundle = await shop.product({
    sku: 'b-all',
    components: {
      first: { name: 'First', min: 1, max: 1, options: [of(a)] },
      second: { name: 'Second', options: [of(b, { quantity: 2, default: true }), of(c)] },
    },
  })
  const fixed = await shop.product({
    sku: 'b-fixed',
    components: { it: { name: 'It', min: 1, options: [of(a)] } },
  })
  const broken = await shop.product({
    sku: 'b-broken',
    components: { it: { name: 'It', min: 1, options: [of(unpriced)] } },
  })
  const nested = await shop.product({
    sku: 'b-nested',
    components: { it: { name: 'It', min: 1, options: [of(bundle)] } },
  })
  await shop.put(hierarchy, node, bundle, fixed, broken, nested)
  await store.price(book, 'b-a', {
    currencies: { USD: { amount: 100, includes_tax: false } },
    sales: { Together: { bundle_ids: [bundle], currencies: { USD: { amount: 80, includes_tax: false } } } },
  })
  await store.dollars(book, 'b-b', 35)
  await store.dollars(book, 'b-c', 5)
  await store.dollars(book, 'b-fixed', 42)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
  await store.lead(catalog, 'bundles')
  const body = await store.read('bundles', '/catalog/products?include=component_products')
  const shown = new Map<string, Any>(body.data.map((one: Any) => [one.id, one]))
  const { attributes, meta } = shown.get(bundle)
  expect(attributes.price).toEqual({ USD: { amount: 150, includes_tax: false } })
  expect(meta).toMatchObject({
    bundle_configuration: { selected_options: { first: { [a]: 1 }, second: { [b]: 2 } } },
    original_price: { USD: { amount: 170, includes_tax: false } },
    display_price: { without_tax: { amount: 150 } },
    original_display_price: { without_tax: { amount: 170 } },
    component_products: {
      [a]: {
        price: { USD: { amount: 80 } },
        original_price: { USD: { amount: 100 } },
        sale_id: 'Together',
        pricebook_id: book,
      },
      [b]: { price: { USD: { amount: 35 } }, pricebook_id: book },
    },
  })
  expect(meta).not.toHaveProperty('pricebook_id')
  expect(shown.get(fixed).attributes.price.USD.amount).toBe(42)
  expect(shown.get(broken).attributes).not.toHaveProperty('price')
  expect(shown.get(broken).meta).not.toHaveProperty('display_price')
  expect(shown.get(nested).attributes.price.USD.amount).toBe(150)
  // What is only in bundles is not listed, but there.
  expect(shown.has(a)).toBe(false)
  expect(idsOf({ data: body.included.component_products }).sort()).toEqual([a, b, c, unpriced, bundle].sort())
  const links = await store.read('bundles', `/catalog/products/${bundle}/relationships/component_products`)
  expect(links.data).toEqual([a, b, c].map((id) => ({ type: 'product', id })))
  expect((await store.read('bundles', `/catalog/products/${a}`)).data.attributes.price.USD.amount).toBe(100)
})

test('price books that the merchant previews, and all prices of a product', async () => {
  const [own, other] = [await store.pricebook(), await store.pricebook()]
  const { hierarchy, node } = await store.shelf()
  await shop.put(hierarchy, node, await shop.product({ sku: 'previewed' }))
  await store.dollars(own, 'previewed', 10)
  await store.dollars(other, 'previewed', 7)
  const catalog = await shop.catalog([hierarchy], { pricebook_id: own, enable_price_segmentation: true })
  await store.lead(catalog, 'vip', { pricebook_ids: [{ id: other, priority: 1 }] })
  await shop.publish(catalog)
  const read = async (headers: Record<string, string>) => {
    const { status, body } = await world.admin.get(
      `/catalogs/${catalog}/releases/latestPublished/products`,
      headers,
    )
    return status === 200 ? body.data[0] : status
  }
  const preview = 'EP-Pricebook-IDs-For-Price-Segmentation-Preview'
  const available = 'EP-Pricebook-IDs-Of-Available-Prices-To-Show'
  expect((await read({})).meta.pricebook_id).toBe(own)
  expect((await read({ [preview]: `${other},${own}` })).attributes.price.USD.amount).toBe(7)
  expect((await store.read('vip', '/catalog/products')).data[0].attributes.price.USD.amount).toBe(7)
  const { meta } = await read({ [available]: 'all' })
  expect(meta.available_pricebook_ids.sort()).toEqual([own, other].sort())
  expect(meta.available_prices).toContainEqual({
    pricebook_id: other,
    price: { USD: { amount: 7, includes_tax: false } },
  })
  expect((await read({ [available]: own })).meta.available_pricebook_ids).toEqual([own])
  expect(await read({ [preview]: 'gold' })).toBe(400)
  expect(
    await read({
      [preview]: Array(6)
        .fill(0)
        .map((_, i) => own.replace(/.$/, String(i)))
        .join(),
    }),
  ).toBe(400)
})
