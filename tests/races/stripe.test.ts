import { expect } from 'vitest'
import { order } from '../builders/orders/buying.ts'
import { act, moneyOf, orderOf } from '../builders/payments/paying.ts'
import { cards, charge, charged } from '../builders/payments/stripe-shop.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'
import { inStock, mug, stockOf } from './stock.ts'

useArena()

race('two payments with Stripe charge an order once', {
  given: async ({ world, double }) => ({
    before: double.received,
    id: (await orderOf(world.shopper, 1000)).id as string,
  }),
  hold: writesTo('order_transactions'),
  one: ({ id }, { shopper }) => charge(shopper, id),
  other: ({ id }, { shopper }) => charge(shopper, id),
  async check({ id, before }, replies, { world, double }) {
    expect(statusesOf(replies)).toEqual([200, 409])
    expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
    expect(double.received - before).toBe(1000)
  },
})

race('two confirms of a payment take the stock of its order once', {
  async given(arena) {
    await inStock(arena, 'MUG', 3)
    const { id } = await order(arena.world.shopper, mug())
    const payment = await charged(arena.world.shopper, id, { payment: cards.challenges })
    arena.double.authenticate(payment.reference, true)
    return { id: id as string, payment }
  },
  hold: writesTo('order_transactions'),
  one: ({ payment }, { shopper }) => act(shopper, payment, 'confirm', {}),
  other: ({ payment }, { shopper }) => act(shopper, payment, 'confirm', {}),
  async check({ id }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await moneyOf(arena.world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
    expect(await stockOf(arena, 'MUG')).toEqual([2, 1])
  },
})
