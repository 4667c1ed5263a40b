import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopOf } from '../../builders/shop/publishing.ts'
import { openWorld, type World } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

let world: World
let cup: string
let saucer: string
let teaSet: string
beforeAll(async () => {
  world = await openWorld()
  const shop = shopOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  cup = await shop.product({ sku: 'CUP', name: 'Cup' })
  saucer = await shop.product({ sku: 'SAUCER', name: 'Saucer' })
  const option = (id: string, quantity: number) => ({ type: 'product', id, quantity, default: true })
  const components = {
    cups: { name: 'Cups', options: [option(cup, 4)], min: 1, max: 1 },
    saucers: { name: 'Saucers', options: [option(saucer, 4)], min: 1, max: 1 },
  }
  teaSet = await shop.product({ sku: 'TEA-SET', name: 'Tea set', components })
  await shop.put(hierarchy, node, cup, saucer, teaSet)
  const attributes = { name: 'Prices' }
  const book = (await shop.send('POST', '/pcm/pricebooks', { type: 'pricebook', attributes }, 201)).id
  for (const [sku, amount] of [
    ['CUP', 300],
    ['TEA-SET', 5000],
  ] as const) {
    const currencies = { USD: { amount, includes_tax: false } }
    const price = { type: 'product-price', attributes: { sku, currencies } }
    await shop.send('POST', `/pcm/pricebooks/${book}/prices`, price, 201)
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
})
afterAll(() => world.close())

let counter = 0
/** A new cart with two tea sets, and the path of its item. */
async function twoTeaSets() {
  const path = `/v2/carts/tea-${++counter}`
  const { body } = await world.admin.post(`${path}/items`, {
    data: { type: 'cart_item', id: teaSet, quantity: 2 },
  })
  return { path, item: `${path}/items/${body.data[0].id}` }
}
const totalsOf = async (path: string) => {
  const { with_tax, without_tax, tax } = (await world.admin.get(path)).body.data.meta.display_price
  return [with_tax, without_tax, tax].map(({ amount }: Any) => amount)
}
const vat = { type: 'tax_item', code: 'VAT', rate: 0.1 }

test('the tax of a component is calculated from its own price, and joins the tax of the item', async () => {
  const { path, item } = await twoTeaSets()
  const added = await world.admin.post(`${item}/components/${cup}/taxes`, { data: vat })
  expect([added.status, added.body.data]).toMatchObject([201, vat])
  // 2 sets × 4 cups × 300 are 2,400: docs/money.md, chapter 4.
  expect(await totalsOf(path)).toEqual([10_240, 10_000, 240])
  const tax = `${item}/components/${cup}/taxes/${added.body.data.id}`
  expect((await world.admin.put(tax, { data: { amount: 90, rate: null } })).body.data).toEqual({
    ...{ type: 'tax_item', code: 'VAT', amount: 90 },
    id: added.body.data.id,
  })
  expect(await totalsOf(path)).toEqual([10_090, 10_000, 90])
  const { data, included } = (await world.admin.get(`${path}/items?include=tax_items`)).body
  const link = { type: 'tax_item', id: added.body.data.id }
  expect(included.tax_items).toMatchObject([link])
  expect(data[0].relationships.taxes.data).toEqual([link])
  expect((await world.admin.delete(tax)).status).toBe(204)
  expect((await world.admin.delete(tax)).status).toBe(404)
  expect(await totalsOf(path)).toEqual([10_000, 10_000, 0])
})

test('a component without a price takes a tax amount, and a rate is 0 for it', async () => {
  const { path, item } = await twoTeaSets()
  const taxes = `${item}/components/${saucer}/taxes`
  await world.admin.post(taxes, { data: vat })
  expect(await totalsOf(path)).toEqual([10_000, 10_000, 0])
  await world.admin.post(taxes, { data: { type: 'tax_item', amount: 70 } })
  expect(await totalsOf(path)).toEqual([10_070, 10_000, 70])
})

test('a component has at most 5 tax items', async () => {
  const { item } = await twoTeaSets()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await world.admin.post(`${item}/components/${cup}/taxes`, { data: vat })).status)
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 422])
})

test('only what an item consists of has such taxes', async () => {
  const { path, item } = await twoTeaSets()
  const other = await world.admin.post(`${item}/components/${teaSet}/taxes`, { data: vat })
  expect([other.status, other.body.errors[0].detail]).toEqual([404, expect.stringMatching(/component/)])
  const wrap = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 100 } }
  const { body } = await world.admin.post(`${path}/items`, { data: wrap })
  const ofWrap = `${path}/items/${body.data[1].id}/components/${cup}/taxes`
  expect((await world.admin.post(ofWrap, { data: vat })).status).toBe(404)
  expect((await world.shopper.post(`${item}/components/${cup}/taxes`, { data: vat })).status).toBe(403)
})

test('many tax items name the component that they are for', async () => {
  const { path, item } = await twoTeaSets()
  const data = [cup, teaSet].map((component_product_id) => ({
    ...{ ...vat, meta: { component_product_id } },
    relationships: { item: { data: { type: 'cart_item', id: item.split('/').at(-1) } } },
  }))
  const { status, body } = await world.admin.post(`${path}/taxes`, { data })
  const { meta, relationships } = data[0] as (typeof data)[number]
  expect([status, body.data, body.errors]).toMatchObject([
    201,
    [{ rate: vat.rate, meta, relationships }],
    [{ status: '404', source: 'data.1' }],
  ])
  expect(await totalsOf(path)).toEqual([10_240, 10_000, 240])
})

test('all tax items of a cart go at once, and a merge copies none', async () => {
  const { path, item } = await twoTeaSets()
  await world.admin.post(`${item}/components/${cup}/taxes`, { data: vat })
  const merged = { type: 'cart_items', cart_id: path.split('/').at(-1) }
  await world.admin.post(`${path}-copy/items`, { data: merged })
  expect(await totalsOf(`${path}-copy`)).toEqual([10_000, 10_000, 0])
  expect((await world.admin.delete(`${path}/taxes`)).status).toBe(204)
  expect(await totalsOf(path)).toEqual([10_000, 10_000, 0])
})
