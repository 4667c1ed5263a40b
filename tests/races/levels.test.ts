import { expect } from 'vitest'
import { order } from '../builders/orders/buying.ts'
import { moneyOf, pay } from '../builders/payments/paying.ts'
import type { Client } from '../support/client.ts'
import type { Arena } from './arena.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'
import { inStock, mug, ordersOfMugs, stockOf, uncount } from './stock.ts'

useArena()

const transact = ({ ids }: Arena, client: Client, action: string, quantity: number) =>
  client.post(`/v2/inventories/${ids.MUG}/transactions`, { data: { action, quantity } })

race('two orders do not get the last unit', {
  given: (arena) => ordersOfMugs(arena, 1),
  hold: writesTo('stock_levels'),
  one: ({ one }, { shopper }) => pay(shopper, one),
  other: ({ other }, { shopper }) => pay(shopper, other),
  async check({ one, other }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 400])
    expect(await stockOf(arena, 'MUG')).toEqual([0, 1])
    const states = [(await moneyOf(arena.world.admin, one))[0], (await moneyOf(arena.world.admin, other))[0]]
    expect(states.sort()).toEqual(['paid', 'unpaid'])
  },
})

race('the last unit is sold or taken out of stock', {
  async given(arena) {
    await inStock(arena, 'MUG', 1)
    return order(arena.world.shopper, mug())
  },
  hold: writesTo('stock_levels'),
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: (_, { seller }, arena) => transact(arena, seller, 'decrement', 1),
  async check({ id }, [payment, removal], arena) {
    const isSold = payment.status === 200
    expect([payment.status, removal.status]).toEqual(isSold ? [200, 422] : [400, 200])
    expect(await stockOf(arena, 'MUG')).toEqual(isSold ? [0, 1] : [0, 0])
    expect((await moneyOf(arena.world.admin, id))[0]).toBe(isSold ? 'paid' : 'unpaid')
  },
})

race('stock is not set to less than is sold', {
  async given(arena) {
    await inStock(arena, 'MUG', 1)
    return order(arena.world.shopper, mug())
  },
  hold: writesTo('stock_levels'),
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: (_, { seller }, arena) => transact(arena, seller, 'set', 0),
  async check(_, [payment, change], arena) {
    const isSold = payment.status === 200
    expect([payment.status, change.status]).toEqual(isSold ? [200, 422] : [400, 200])
    expect(await stockOf(arena, 'MUG')).toEqual(isSold ? [0, 1] : [0, 0])
  },
})

race('a total that is set is the total then', {
  given: (arena) => inStock(arena, 'MUG', 1),
  hold: writesTo('stock_levels'),
  one: (_, { seller }, arena) => transact(arena, seller, 'set', 5),
  other: (_, { seller }, arena) => transact(arena, seller, 'set', 7),
  async check(_, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect([5, 7]).toContain((await stockOf(arena, 'MUG'))[0])
  },
})

race('one product is counted once', {
  given: (arena) => uncount(arena, 'MUG'),
  hold: writesTo('stocks'),
  one: (_, { seller }, { ids }) => count(seller, ids.MUG, 5),
  other: (_, { seller }, { ids }) => count(seller, ids.MUG, 7),
  async check(_, replies, arena) {
    const [one, other] = replies
    expect(statusesOf(replies)[0]).toBe(201)
    expect(statusesOf(replies)[1]).toBeGreaterThanOrEqual(400)
    expect(await stockOf(arena, 'MUG')).toEqual([one.status === 201 ? 5 : 7, 0])
    expect(other.status === 201).toBe(one.status !== 201)
  },
})

const count = (client: Client, id: string | undefined, quantity: number) =>
  client.post(`/v2/inventories/${id}`, { data: { type: 'stock', quantity } })

race('an order is paid while its product ceases to be counted', {
  order: 'both',
  async given(arena) {
    await inStock(arena, 'MUG', 3)
    return order(arena.world.shopper, mug())
  },
  hold: writesTo('stock_levels'),
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: (_, { seller }, { ids }) => seller.delete(`/v2/inventories/${ids.MUG}`),
  async check({ id }, [payment, removal], { world }) {
    expect([payment.status, removal.status]).toEqual([200, 204])
    expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
  },
})
