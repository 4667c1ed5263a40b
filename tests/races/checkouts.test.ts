import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { address, filledCart, guest, guestBody, wrap } from '../builders/orders/buying.ts'
import { customer, customers } from '../builders/people/customers.ts'
import { makePromotion } from '../builders/promotions/codes.ts'
import type { Client, Reply } from '../support/client.ts'
import type { Any } from '../support/requests.ts'
import { until } from '../support/until.ts'
import { type Arena, lockOf } from './arena.ts'
import { priceOf } from './prices.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'
import { uncount } from './stock.ts'

useArena()

const checkout = (client: Client, cart: string, more: object = {}, headers: Record<string, string> = {}) =>
  client.post(`${cart}/checkout`, guestBody(more), headers)
const totalOf = ({ body }: Reply): number => body.data.meta.display_price.with_tax.amount
const itemsOf = async ({ world }: Arena, cart: string): Promise<Any[]> =>
  (await world.admin.get(`${cart}/items`)).body.data
const skusIn = async (arena: Arena, cart: string) => (await itemsOf(arena, cart)).map(({ sku }) => sku).sort()
const ordersOf = async ({ world }: Arena, cart: string) =>
  (
    await world.sql(`SELECT o.id FROM orders o JOIN carts c ON c.id = o.cart_id WHERE c.reference = $1`, [
      cart.split('/')[3],
    ])
  ).rows

/** The order costs what its items cost. */
function mustAddUp({ body }: Reply): void {
  const amounts = body.included.items.map(({ meta }: Any) => meta.display_price.with_tax.value.amount)
  const shipping = body.data.meta.display_price.shipping.amount
  const sum = amounts.reduce((sofar: number, amount: number) => sofar + amount, shipping)
  expect(body.data.meta.display_price.with_tax.amount).toBe(sum)
}

/** Until the transaction of the gate ends, the cart waits. */
const holdOf = (cart: string, { world }: Arena) =>
  lockOf(world, 'carts', `reference = '${cart.split('/')[3]}'`)

/** Carts with a shipping group: a checkout writes them, as it takes the group. */
async function groupedCart({ world }: Arena): Promise<string> {
  const cart = await filledCart(world.shopper, wrap({ sku: 'ONE' }), wrap({ sku: 'TWO' }))
  const group = { type: 'shipping_group', shipping_price: { base: 700 } }
  const { body } = await world.shopper.post(`${cart}/shipping-groups`, { data: group })
  const [item] = (await world.shopper.get(`${cart}/items`)).body.data
  const data = { quantity: 1, shipping_group_id: body.data.id }
  await world.shopper.put(`${cart}/items/${item.id}`, { data })
  return cart
}

race('a checkout that is sent twice makes one order', {
  given: ({ world }) => filledCart(world.shopper),
  hold: writesTo('orders'),
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (cart, { shopper }) => checkout(shopper, cart),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(replies[0].body.data.id).toBe(replies[1].body.data.id)
    expect(await ordersOf(arena, cart)).toHaveLength(1)
  },
})

race('checkouts of two tabs make one order', {
  given: ({ world }) => filledCart(world.shopper),
  hold: writesTo('orders'),
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (cart, { shopper }) => checkout(shopper, cart, { customer: { ...guest, name: 'Other' } }),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 409])
    const [placed, refused] = replies[0].status === 201 ? replies : replies.toReversed()
    expect(refused?.body.errors[0].meta.order_id).toBe(placed?.body.data.id)
    expect(await ordersOf(arena, cart)).toHaveLength(1)
  },
})

race('a checkout with a key makes one order, and a repetition gets its response', {
  given: ({ world }) => filledCart(world.shopper),
  hold: writesTo('orders'),
  one: (cart, { shopper }) => checkout(shopper, cart, {}, { 'idempotency-key': cart }),
  other: (cart, { shopper }) => checkout(shopper, cart, {}, { 'idempotency-key': cart }),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)[0]).toBe(201)
    expect([201, 409]).toContain(statusesOf(replies)[1])
    const [placed] = await ordersOf(arena, cart)
    expect(await ordersOf(arena, cart)).toHaveLength(1)
    const again = await checkout(arena.world.shopper, cart, {}, { 'idempotency-key': cart })
    expect([again.status, again.body.data.id]).toEqual([201, placed.id])
  },
})

race('an item that is added during a checkout stays in the cart', {
  given: groupedCart,
  hold: writesTo('carts'),
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (cart, { shopper }) => shopper.post(`${cart}/items`, { data: wrap({ sku: 'NEW' }) }),
  async check(cart, [placed, added], arena) {
    expect([placed.status, added.status]).toEqual([201, 201])
    mustAddUp(placed)
    expect(await skusIn(arena, cart)).toEqual(['NEW', 'ONE', 'TWO'])
  },
})

/** A cart, and one of its items. */
async function cartWithItem(arena: Arena) {
  const cart = await groupedCart(arena)
  const item = (await itemsOf(arena, cart)).find(({ sku }) => sku === 'TWO')
  return { cart, item: `${cart}/items/${item.id}` }
}

race('an item that is removed during a checkout does not come back', {
  given: cartWithItem,
  hold: writesTo('carts'),
  one: ({ cart }, { shopper }) => checkout(shopper, cart),
  other: ({ item }, { shopper }) => shopper.delete(item),
  async check({ cart }, [placed, removal], arena) {
    expect([placed.status, removal.status]).toEqual([201, 200])
    mustAddUp(placed)
    expect(await skusIn(arena, cart)).toEqual(['ONE'])
  },
})

race('a quantity that changes during a checkout stays in the cart', {
  given: cartWithItem,
  hold: writesTo('carts'),
  one: ({ cart }, { shopper }) => checkout(shopper, cart),
  other: ({ item }, { shopper }) => shopper.put(item, { data: { quantity: 5 } }),
  async check({ cart }, [placed, update], arena) {
    expect([placed.status, update.status]).toEqual([201, 200])
    mustAddUp(placed)
    expect([2700, 6700]).toContain(totalOf(placed))
    expect((await itemsOf(arena, cart)).map(({ quantity }) => quantity).sort()).toEqual([1, 5])
  },
})

race('a shipping group is in the cart or in its order', {
  given: groupedCart,
  hold: writesTo('carts'),
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (cart, { shopper }) => shopper.post(`${cart}/shipping-groups`, { data: { type: 'shipping_group' } }),
  async check(cart, [placed, added], { world }) {
    expect([placed.status, added.status]).toEqual([201, 201])
    const idsAt = async (path: string): Promise<string[]> =>
      (await world.admin.get(`${path}/shipping-groups`)).body.data.map(({ id }: Any) => id)
    const [ofCart, ofOrder] = [await idsAt(cart), await idsAt(`/v2/orders/${placed.body.data.id}`)]
    expect([...ofCart, ...ofOrder].sort()).toHaveLength(2)
    expect(new Set([...ofCart, ...ofOrder]).has(added.body.data.id)).toBe(true)
  },
})

race('a cart that is deleted during its checkout leaves the order or nothing', {
  given: groupedCart,
  hold: writesTo('carts'),
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (cart, { shopper }) => shopper.delete(cart),
  async check(cart, [placed, removal], arena) {
    expect(removal.status).toBe(204)
    expect([201, 400]).toContain(placed.status)
    if (placed.status === 201) mustAddUp(placed)
    else expect(placed.body.errors[0].title).toBe('Empty cart')
    expect(await itemsOf(arena, cart)).toEqual([])
  },
})

race('a checkout that has waited has the prices that are published meanwhile', {
  async given(arena) {
    await uncount(arena, 'CUP')
    await priceOf(arena, 'CUP', 1000)
    return filledCart(arena.world.shopper, { type: 'cart_item', sku: 'CUP', quantity: 2 })
  },
  hold: holdOf,
  one: (cart, { shopper }) => checkout(shopper, cart),
  other: (_cart, _side, arena) => priceOf(arena, 'CUP', 1500),
  async check(_, [placed], __, isHeld) {
    expect(placed.status).toBe(201)
    mustAddUp(placed)
    expect(isHeld ? [3000] : [2000, 3000]).toContain(totalOf(placed))
  },
})

race('a checkout that has waited has no discount of a promotion that is disabled meanwhile', {
  async given({ world }) {
    const promotion = await makePromotion(world.admin, 'rule-promotions', { automatic: true })
    return { promotion, cart: await filledCart(world.shopper) }
  },
  hold: ({ cart }, arena) => holdOf(cart, arena),
  one: ({ cart }, { shopper }) => checkout(shopper, cart),
  other: ({ promotion }, { seller }) =>
    seller.put(promotion, { data: { type: 'rule_promotion', enabled: false } }),
  async check({ promotion }, [placed, change], { world }, isHeld) {
    await world.admin.delete(promotion)
    expect([placed.status, change.status]).toEqual([201, 200])
    expect(isHeld ? [1000] : [900, 1000]).toContain(totalOf(placed))
  },
})

race('an order keeps the currency of its cart when that is disabled', {
  async given({ world }) {
    const fields = { exchange_rate: 1, enabled: true, default: false, decimal_places: 2 }
    const notation = { format: '{price} kr', decimal_point: ',', thousand_separator: '.' }
    const data = { type: 'currency', code: 'SEK', ...fields, ...notation }
    const { body } = await world.admin.post('/v2/currencies', { data })
    const cart = `/v2/carts/${randomUUID()}`
    await world.shopper.post(`${cart}/items`, { data: wrap() }, { 'x-moltin-currency': 'SEK' })
    return { cart, currency: `/v2/currencies/${body.data.id}` }
  },
  hold: ({ cart }, arena) => holdOf(cart, arena),
  one: ({ cart }, { shopper }) => checkout(shopper, cart),
  other: ({ currency }, { seller }) => seller.delete(currency),
  async check(_, [placed, removal]) {
    expect([placed.status, removal.status]).toEqual([201, 204])
    expect(placed.body.data.meta.display_price.with_tax).toMatchObject({ amount: 1000, currency: 'SEK' })
  },
})

race('an erasure of a customer leaves their name in no order', {
  async given({ world }) {
    const fields = { name: 'Ben Marsh', email: `${randomUUID()}@example.com` }
    const { body } = await world.admin.post(customers, customer(fields))
    return { id: body.data.id as string, cart: await filledCart(world.shopper) }
  },
  hold: writesTo('orders'),
  one: ({ id, cart }, { seller }) =>
    seller.post(`${cart}/checkout`, { data: { customer: { id }, billing_address: address } }),
  async other({ id }, { seller }) {
    const request = { type: 'erasure_request', resource_type: 'customer', resource_id: id }
    const reply = await seller.post('/v2/personal-data/erasure-requests', { data: request })
    await erased(seller, id, 5000).catch(() => {})
    return reply
  },
  async check({ id }, [placed, request], { world }) {
    expect(request.status).toBe(201)
    expect([201, 404]).toContain(placed.status)
    await erased(world.admin, id)
    if (placed.status !== 201) return
    const { data } = (await world.admin.get(`/v2/orders/${placed.body.data.id}`)).body
    expect(data.anonymized).toBe(true)
    expect(JSON.stringify(data)).not.toMatch(/Ben|Ada/)
  },
})

const erased = (client: Client, id: string, withinMs?: number) =>
  until(async () => {
    const filter = `eq(resource_type,customer):eq(resource_id,${id})`
    const { body } = await client.get(`/v2/personal-data/erasure-requests?filter=${filter}`)
    return body.data?.[0]?.status === 'SUCCESS' || undefined
  }, withinMs)
