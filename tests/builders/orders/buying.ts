import assert from 'node:assert/strict'
import type { Any } from '../../support/requests.ts'
import type { Client, World } from '../../support/world.ts'
import { shopOf } from '../shop/publishing.ts'
import { storeOf } from '../shop/storefront.ts'

export const address = {
  first_name: 'Ada',
  last_name: 'Byron',
  line_1: '12 Mill Lane',
  city: 'Ely',
  county: 'Cambridgeshire',
  region: '',
  postcode: 'CB7 4AA',
  country: 'UK',
}

export const guest = { name: 'Ada Byron', email: 'ada@example.com' }

/** The body of a guest's checkout. */
export const guestBody = (more: object = {}) => ({
  data: { customer: guest, billing_address: address, shipping_address: address, ...more },
})

let counter = 0

/** The path of a new cart with an item. */
export async function filledCart(client: Client, ...items: object[]): Promise<string> {
  const cart = `/v2/carts/order-of-${Date.now()}-${++counter}`
  const data = items.length ? items : [wrap()]
  const { status, body } = await client.post(`${cart}/items`, { data })
  assert.deepEqual([status, body.errors], [201, undefined])
  return cart
}

export const wrap = (more: object = {}) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, price: { amount: 1000 } },
  ...more,
})

/** An order of a guest. */
export async function order(client: Client, ...items: object[]): Promise<Any> {
  const { status, body } = await client.post(`${await filledCart(client, ...items)}/checkout`, guestBody())
  assert.deepEqual([status, body.errors], [201, undefined])
  return body.data
}

/** A shop with products at prices in dollars; their ids by their SKUs. */
export async function openShop(
  world: World,
  prices: Readonly<Record<string, number>>,
): Promise<Readonly<Record<string, string>>> {
  const shop = shopOf(world)
  const store = storeOf(world, shop)
  const { hierarchy, node } = await store.shelf()
  const ids: Record<string, string> = {}
  for (const sku of Object.keys(prices)) ids[sku] = await shop.product({ sku, name: sku })
  await shop.put(hierarchy, node, ...Object.values(ids))
  const book = await store.pricebook()
  for (const [sku, amount] of Object.entries(prices)) await store.dollars(book, sku, amount)
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  return ids
}
