import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { cartChapter } from '../../server/carts/index.ts'
import { filledCart, wrap } from '../builders/orders/buying.ts'
import { customer, customers } from '../builders/people/customers.ts'
import { addCodes, makePromotion } from '../builders/promotions/codes.ts'
import { shopOf } from '../builders/shop/publishing.ts'
import { storeOf } from '../builders/shop/storefront.ts'
import type { Client, Reply } from '../support/client.ts'
import type { Any } from '../support/requests.ts'
import type { Arena } from './arena.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'
import { mug, uncount } from './stock.ts'

useArena()

const add = (client: Client, cart: string, ...items: object[]) =>
  client.post(`${cart}/items`, { data: items.length === 1 ? items[0] : items })
const itemsOf = async ({ world }: Arena, cart: string): Promise<Any[]> =>
  (await world.admin.get(`${cart}/items`)).body.data
const quantitiesIn = async (arena: Arena, cart: string) =>
  (await itemsOf(arena, cart)).map(({ sku, quantity }) => `${quantity} ${sku}`).sort()
const totalOf = async ({ world }: Arena, cart: string): Promise<number> =>
  (await world.admin.get(cart)).body.data.meta.display_price.with_tax.amount
const newCart = () => `/v2/carts/${randomUUID()}`
const ownersOf = async ({ world }: Arena, cart: string): Promise<number> =>
  (await world.admin.get(cart)).body.data.relationships?.customers?.data.length ?? 0

const inCart = writesTo('carts')

race('two adds of one product count all pieces', {
  async given(arena) {
    await uncount(arena, 'MUG')
    return filledCart(arena.world.shopper, mug(2))
  },
  hold: inCart,
  one: (cart, { shopper }) => add(shopper, cart, mug(3)),
  other: (cart, { shopper }) => add(shopper, cart, mug(4)),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await quantitiesIn(arena, cart)).toEqual(['9 MUG'])
    expect(await totalOf(arena, cart)).toBe(9000)
  },
})

race('two first adds make one cart with both items', {
  given: async () => newCart(),
  hold: inCart,
  one: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'ONE' })),
  other: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'TWO' })),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await quantitiesIn(arena, cart)).toEqual(['1 ONE', '1 TWO'])
  },
})

race('an item that is removed does not come back with a quantity', {
  order: 'both',
  async given({ world }) {
    const cart = await filledCart(world.shopper, wrap({ sku: 'ONE' }), wrap({ sku: 'TWO' }))
    const { data } = (await world.shopper.get(`${cart}/items`)).body
    return { cart, item: `${cart}/items/${data.find(({ sku }: Any) => sku === 'ONE').id}` }
  },
  hold: inCart,
  one: ({ item }, { shopper }) => shopper.delete(item),
  other: ({ item }, { shopper }) => shopper.put(item, { data: { quantity: 5 } }),
  async check({ cart }, [removal, update], arena) {
    expect(removal.status).toBe(200)
    expect([200, 404]).toContain(update.status)
    expect(await quantitiesIn(arena, cart)).toEqual(['1 TWO'])
  },
})

race('two quantities of two items both count', {
  async given({ world }) {
    const cart = await filledCart(world.shopper, wrap({ sku: 'ONE' }), wrap({ sku: 'TWO' }))
    const { data } = (await world.shopper.get(`${cart}/items`)).body
    return { cart, ids: data.map(({ id }: Any) => id) as string[] }
  },
  hold: inCart,
  one: ({ cart, ids }, { shopper }) => shopper.put(`${cart}/items/${ids[0]}`, { data: { quantity: 3 } }),
  other: ({ cart, ids }, { shopper }) => shopper.put(`${cart}/items/${ids[1]}`, { data: { quantity: 4 } }),
  async check({ cart }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await totalOf(arena, cart)).toBe(7000)
  },
})

race('a cart that is emptied keeps no item of before', {
  order: 'both',
  given: ({ world }) => filledCart(world.shopper, wrap({ sku: 'OLD' })),
  hold: inCart,
  one: (cart, { shopper }) => shopper.delete(`${cart}/items`),
  other: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'NEW' })),
  async check(cart, [removal, added], arena) {
    expect([removal.status, added.status]).toEqual([204, 201])
    expect([[], ['1 NEW']]).toContainEqual(await quantitiesIn(arena, cart))
  },
})

race('an item is added to a cart that is deleted before, or goes with it', {
  given: ({ world }) => filledCart(world.shopper, wrap({ sku: 'OLD' })),
  hold: inCart,
  one: (cart, { shopper }) => shopper.delete(cart),
  other: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'NEW' })),
  async check(cart, [removal, added], arena) {
    expect([removal.status, added.status]).toEqual([204, 201])
    expect([[], ['1 NEW']]).toContainEqual(await quantitiesIn(arena, cart))
  },
})

race('a merge and an add both count', {
  async given({ world }) {
    return {
      cart: await filledCart(world.shopper, wrap({ sku: 'ONE' })),
      source: await filledCart(world.shopper, wrap({ sku: 'TWO' }), wrap({ sku: 'THREE' })),
    }
  },
  hold: inCart,
  one: ({ cart, source }, { shopper }) => merge(shopper, cart, source),
  other: ({ cart }, { shopper }) => add(shopper, cart, wrap({ sku: 'FOUR' })),
  async check({ cart }, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await quantitiesIn(arena, cart)).toEqual(['1 FOUR', '1 ONE', '1 THREE', '1 TWO'])
  },
})

const merge = (client: Client, cart: string, source: string) =>
  add(client, cart, { type: 'cart_items', cart_id: source.split('/')[3] })

race('two merges into one cart both count', {
  async given({ world }) {
    const of = (sku: string) => filledCart(world.shopper, wrap({ sku }))
    return { cart: await of('ONE'), sources: [await of('TWO'), await of('THREE')] }
  },
  hold: inCart,
  one: ({ cart, sources }, { shopper }) => merge(shopper, cart, sources[0] as string),
  other: ({ cart, sources }, { shopper }) => merge(shopper, cart, sources[1] as string),
  async check({ cart }, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await quantitiesIn(arena, cart)).toEqual(['1 ONE', '1 THREE', '1 TWO'])
  },
})

race('two codes that are entered both stay', {
  async given(arena) {
    const { world } = arena
    const codes = [randomUUID(), randomUUID()]
    const promotions: string[] = []
    for (const code of codes) {
      const promotion = await makePromotion(world.admin, 'rule-promotions')
      await addCodes(world.admin, promotion, { code })
      promotions.push(promotion)
    }
    return { cart: await filledCart(world.shopper, wrap()), codes, promotions }
  },
  hold: inCart,
  one: ({ cart, codes }, { shopper }) => add(shopper, cart, { type: 'promotion_item', code: codes[0] }),
  other: ({ cart, codes }, { shopper }) => add(shopper, cart, { type: 'promotion_item', code: codes[1] }),
  async check({ cart, promotions }, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await totalOf(arena, cart)).toBe(810)
    for (const promotion of promotions) await arena.world.admin.delete(promotion)
  },
})

race('a cart has items of one currency, whichever comes first', {
  async given({ world }) {
    const { body } = await world.admin.get('/v2/currencies')
    if (!body.data.some(({ code }: Any) => code === 'EUR')) {
      await storeOf(world, shopOf(world)).currency('EUR', '€{price}')
    }
    return newCart()
  },
  hold: inCart,
  one: (cart, { shopper }) => addIn(shopper, cart, 'USD'),
  other: (cart, { shopper }) => addIn(shopper, cart, 'EUR'),
  async check(cart, replies, { world }) {
    expect(statusesOf(replies)).toEqual([201, 400])
    const { data, meta } = (await world.admin.get(`${cart}/items`)).body
    expect(data).toHaveLength(1)
    expect(data[0].unit_price.currency).toBe(meta.display_price.with_tax.currency)
  },
})

const addIn = (client: Client, cart: string, currency: string) =>
  client.post(`${cart}/items`, { data: wrap() }, { 'x-moltin-currency': currency })

race('a cart has at most 100 items, however many arrive', {
  given: ({ world }) =>
    filledCart(world.shopper, ...Array.from({ length: 99 }, (_, i) => wrap({ sku: `W${i}` }))),
  hold: inCart,
  one: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'ONE' })),
  other: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'TWO' })),
  async check(cart, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 422])
    expect(await itemsOf(arena, cart)).toHaveLength(100)
  },
})

race('two tax items both count', {
  async given({ world }) {
    const cart = await filledCart(world.shopper, wrap({ price: { amount: 1000, includes_tax: false } }))
    const [item] = (await world.shopper.get(`${cart}/items`)).body.data
    return { cart, taxes: `${cart}/items/${item.id}/taxes` }
  },
  hold: inCart,
  one: ({ taxes }, { seller }) => seller.post(taxes, { data: { type: 'tax_item', rate: 0.1 } }),
  other: ({ taxes }, { seller }) => seller.post(taxes, { data: { type: 'tax_item', rate: 0.2 } }),
  async check({ cart }, replies, arena) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect(await totalOf(arena, cart)).toBe(1300)
  },
})

race('two shipping groups of a cart both stay', {
  given: ({ world }) => filledCart(world.shopper),
  hold: inCart,
  one: (cart, { shopper }) => shopper.post(`${cart}/shipping-groups`, { data: { type: 'shipping_group' } }),
  other: (cart, { shopper }) => shopper.post(`${cart}/shipping-groups`, { data: { type: 'shipping_group' } }),
  async check(cart, replies, { world }) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect((await world.admin.get(`${cart}/shipping-groups`)).body.data).toHaveLength(2)
  },
})

const newCustomer = async ({ world }: Arena): Promise<string> => {
  const fields = { email: `${randomUUID()}@example.com` }
  return (await world.admin.post(customers, customer(fields))).body.data.id
}
const associate = (client: Client, cart: string, id: string): Promise<Reply> =>
  client.post(`${cart}/relationships/customers`, { data: [{ type: 'customer', id }] })

race('two customers are both associated with a cart', {
  async given(arena) {
    const cart = await filledCart(arena.world.shopper)
    return { cart, one: await newCustomer(arena), other: await newCustomer(arena) }
  },
  hold: inCart,
  one: ({ cart, one }, { seller }) => associate(seller, cart, one),
  other: ({ cart, other }, { seller }) => associate(seller, cart, other),
  async check({ cart }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await ownersOf(arena, cart)).toBe(2)
  },
})

race('of the last two carts of a customer, one stays', {
  async given(arena) {
    const id = await newCustomer(arena)
    const carts = [await filledCart(arena.world.shopper), await filledCart(arena.world.shopper)]
    for (const cart of carts) await associate(arena.world.admin, cart, id)
    return { id, carts }
  },
  hold: inCart,
  one: ({ carts }, { seller }) => seller.delete(carts[0] as string),
  other: ({ carts }, { seller }) => seller.delete(carts[1] as string),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([204, 400])
    const { rows } = await world.sql('SELECT FROM carts WHERE customer_id = $1', [id])
    expect(rows).toHaveLength(1)
  },
})

/** How long a cart can still be used: a request begins in this time, also on a busy machine. */
const usedForMs = 1000

race('a cart that a shopper uses before it expires is not deleted as expired', {
  async given({ world }) {
    const cart = await filledCart(world.shopper, wrap({ sku: 'OLD' }))
    const reference = cart.split('/')[3]
    const { rows } = await world.sql(
      `SELECT $2::timestamptz - (hidden->>'expiry_days')::integer * interval '1 day' AS at FROM carts WHERE reference = $1`,
      [reference, new Date(Date.now() + usedForMs)],
    )
    await world.sql('UPDATE carts SET updated_at = $2 WHERE reference = $1', [reference, rows[0].at])
    return cart
  },
  // Its trigger writes there: the cart is changed, and not committed.
  hold: writesTo('fresh_changes'),
  one: (cart, { shopper }) => add(shopper, cart, wrap({ sku: 'NEW' })),
  async other(cart, _, { world }) {
    await new Promise((done) => setTimeout(done, usedForMs + 50))
    await cartChapter.chores?.[0]?.run(world.work.instance)
    return world.admin.get(cart)
  },
  async check(cart, [added], arena) {
    expect(added.status).toBe(201)
    expect(['1 NEW', '1 NEW,1 OLD']).toContain((await quantitiesIn(arena, cart)).join())
  },
})

race('two carts cannot have one id', {
  given: async () => randomUUID(),
  hold: inCart,
  one: (id, { shopper }) => shopper.post('/v2/carts', { data: { id, name: 'One' } }),
  other: (id, { shopper }) => shopper.post('/v2/carts', { data: { id, name: 'Two' } }),
  async check(id, replies, { world }) {
    expect(statusesOf(replies)).toEqual([201, 409])
    expect((await world.sql('SELECT FROM carts WHERE reference = $1', [id])).rows).toHaveLength(1)
  },
})
