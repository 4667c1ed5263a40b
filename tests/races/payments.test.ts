import { expect } from 'vitest'
import { filledCart, guest, guestBody, order, wrap } from '../builders/orders/buying.ts'
import { act, moneyOf, orderOf, paid, pay } from '../builders/payments/paying.ts'
import type { Client } from '../support/client.ts'
import type { Any } from '../support/requests.ts'
import { lockOf } from './arena.ts'
import { race, statusesOf, useArena, writesTo } from './race.ts'
import { inStock, mug, stockOf } from './stock.ts'

useArena()

const put = (client: Client, id: string, data: object) =>
  client.put(`/v2/orders/${id}`, { data: { type: 'order', ...data } })
const transactionsOf = async (client: Client, id: string): Promise<Any[]> =>
  (await client.get(`/v2/orders/${id}/transactions`)).body.data

race('two captures of one order both count', {
  hold: writesTo('order_transactions'),
  async given({ world }) {
    const { id } = await orderOf(world.shopper, 1000)
    const held = [600, 400].map((amount) => ({ amount, method: 'authorize' }))
    return { id, one: await paid(world.shopper, id, held[0]), other: await paid(world.shopper, id, held[1]) }
  },
  one: ({ one }, { seller }) => act(seller, one, 'capture'),
  other: ({ other }, { seller }) => act(seller, other, 'capture'),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
  },
})

race('refunds of two payments of an order make it refunded', {
  hold: writesTo('order_transactions'),
  async given({ world }) {
    const { id } = await orderOf(world.shopper, 1000)
    const one = await paid(world.shopper, id, { amount: 600 })
    return { id, one, other: await paid(world.shopper, id) }
  },
  one: ({ one }, { seller }) => act(seller, one, 'refund'),
  other: ({ other }, { seller }) => act(seller, other, 'refund'),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect((await moneyOf(world.admin, id))[0]).toBe('refunded')
  },
})

race('a refund gives back what a capture has received, or nothing', {
  order: 'both',
  hold: writesTo('order_transactions'),
  async given({ world }) {
    const { id } = await orderOf(world.shopper, 1000)
    return { id, held: await paid(world.shopper, id, { method: 'authorize' }) }
  },
  one: ({ held }, { seller }) => act(seller, held, 'capture'),
  other: ({ held }, { seller }) => act(seller, held, 'refund'),
  async check({ id }, [capture, refund], { world }) {
    expect(capture.status).toBe(200)
    expect([200, 422]).toContain(refund.status)
    const [{ refunded_amount: refunded }] = await transactionsOf(world.admin, id)
    const [payment, , received] = await moneyOf(world.admin, id)
    expect([payment, received, refunded]).toEqual(
      refund.status === 200 ? ['refunded', 1000, 1000] : ['paid', 1000, 0],
    )
  },
})

race('an order that is cancelled stays so when its authorization is captured', {
  hold: writesTo('order_transactions'),
  async given(arena) {
    await inStock(arena, 'MUG', 3)
    const { id } = await order(arena.world.shopper, mug())
    return { id, held: await paid(arena.world.shopper, id, { method: 'authorize' }) }
  },
  one: ({ held }, { seller }) => act(seller, held, 'capture'),
  other: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  async check({ id }, [capture, cancellation], arena) {
    expect(cancellation.status).toBe(200)
    const [payment, status, received, held] = await moneyOf(arena.world.admin, id)
    expect([capture.status, payment, status, received, held]).toEqual(
      capture.status === 200 ? [200, 'paid', 'cancelled', 1000, 0] : [422, 'unpaid', 'cancelled', 0, 0],
    )
    expect(await stockOf(arena, 'MUG')).toEqual([3, 0])
  },
})

race('a payment and a number of the order both stay', {
  hold: writesTo('orders'),
  given: async ({ world }) => orderOf(world.shopper, 1000),
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: ({ id }, { seller }) => put(seller, id, { order_number: 'R-7' }),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
    expect((await world.admin.get(`/v2/orders/${id}`)).body.data.order_number).toBe('R-7')
  },
})

/** A paid order whose mug is allocated, beside one that belongs to somebody else. */
const paidMug = {
  async given(arena: Parameters<typeof inStock>[0]) {
    const { shopper } = arena.world
    await inStock(arena, 'MUG', 3)
    const [{ id }, { id: others }] = [await order(shopper, mug()), await order(shopper, mug())]
    const payment = await paid(shopper, id)
    await paid(shopper, others)
    return { id, payment }
  },
}

race('an order is fulfilled or cancelled', {
  ...paidMug,
  hold: writesTo('orders'),
  one: ({ id }, { seller }) => put(seller, id, { shipping: 'fulfilled' }),
  other: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  async check({ id }, [fulfilment, cancellation], arena) {
    expect(statusesOf([fulfilment, cancellation])).toEqual([200, 422])
    const isShipped = fulfilment.status === 200
    const { status, shipping } = (await arena.world.admin.get(`/v2/orders/${id}`)).body.data
    expect([status, shipping]).toEqual(isShipped ? ['complete', 'fulfilled'] : ['cancelled', 'unfulfilled'])
    expect(await stockOf(arena, 'MUG')).toEqual(isShipped ? [1, 1] : [2, 1])
  },
})

race('two cancellations give the stock of an order back once', {
  ...paidMug,
  hold: writesTo('orders'),
  one: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  other: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  async check(_, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await stockOf(arena, 'MUG')).toEqual([2, 1])
  },
})

race('a cancellation gives stock back once, whatever else changes in the order', {
  order: 'both',
  ...paidMug,
  // The number is written, and not committed.
  hold: writesTo('fresh_changes'),
  one: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  other: ({ id }, { seller }) => put(seller, id, { external_ref: 'erp-7' }),
  async check({ id }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    const { status, external_ref: reference } = (await arena.world.admin.get(`/v2/orders/${id}`)).body.data
    expect([status, reference]).toEqual(['cancelled', 'erp-7'])
    expect(await stockOf(arena, 'MUG')).toEqual([2, 1])
  },
})

race('two fulfilments ship the stock of an order once', {
  ...paidMug,
  hold: writesTo('orders'),
  one: ({ id }, { seller }) => put(seller, id, { shipping: 'fulfilled' }),
  other: ({ id }, { seller }) => put(seller, id, { shipping: 'fulfilled', order_number: 'R-8' }),
  async check(_, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    expect(await stockOf(arena, 'MUG')).toEqual([1, 1])
  },
})

race('an order that is refunded is not fulfilled as a paid one', {
  order: 'both',
  ...paidMug,
  hold: writesTo('orders'),
  one: ({ id }, { seller }) => put(seller, id, { shipping: 'fulfilled' }),
  other: ({ payment }, { seller }) => act(seller, payment, 'refund'),
  async check({ id }, [fulfilment, refund], arena) {
    expect(refund.status).toBe(200)
    expect([200, 422]).toContain(fulfilment.status)
    const { payment, shipping } = (await arena.world.admin.get(`/v2/orders/${id}`)).body.data
    expect([payment, shipping]).toEqual(['refunded', fulfilment.status === 200 ? 'fulfilled' : 'unfulfilled'])
  },
})

race('a refund and a cancellation give back money and stock once', {
  order: 'both',
  ...paidMug,
  hold: writesTo('orders'),
  one: ({ id }, { seller }) => put(seller, id, { status: 'cancelled' }),
  other: ({ payment }, { seller }) => act(seller, payment, 'refund'),
  async check({ id }, replies, arena) {
    expect(statusesOf(replies)).toEqual([200, 200])
    const { payment, status } = (await arena.world.admin.get(`/v2/orders/${id}`)).body.data
    expect([payment, status]).toEqual(['refunded', 'cancelled'])
    expect(await stockOf(arena, 'MUG')).toEqual([2, 1])
  },
})

race('a name that is removed from an order does not come back with an address', {
  hold: writesTo('orders'),
  async given({ world }) {
    const { id } = await order(world.shopper)
    await put(world.admin, id, { status: 'cancelled' })
    return { id }
  },
  one: ({ id }, { seller }) => seller.post('/v2/orders/anonymize', { data: { order_ids: [id] } }),
  other: ({ id }, { seller }) => put(seller, id, { shipping_address: { line_1: '1 High Street' } }),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 200])
    const { data } = (await world.admin.get(`/v2/orders/${id}`)).body
    expect(data.anonymized).toBe(true)
    expect(JSON.stringify(data)).not.toContain(guest.email)
    expect(JSON.stringify(data)).not.toContain('Ada')
  },
})

race('a name that is removed from an order does not come back with a refund', {
  hold: writesTo('orders'),
  async given({ world }) {
    const { id } = await order(world.shopper)
    const payment = await paid(world.shopper, id)
    await put(world.admin, id, { shipping: 'fulfilled' })
    return { id, payment }
  },
  one: ({ id }, { seller }) => seller.post('/v2/orders/anonymize', { data: { order_ids: [id] } }),
  other: ({ payment }, { seller }) => act(seller, payment, 'refund'),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 200])
    const { data } = (await world.admin.get(`/v2/orders/${id}`)).body
    expect([data.anonymized, data.payment]).toEqual([true, 'refunded'])
    expect(JSON.stringify(data)).not.toContain('Ada')
  },
})

const takes = (client: Client, enabled: boolean) => client.put('/v2/gateways/manual', { data: { enabled } })

race('a payment that has waited does not use a gateway that is disabled meanwhile', {
  given: async ({ world }) => orderOf(world.shopper, 1000),
  hold: ({ id }, { world }) => lockOf(world, 'orders', `id = '${id}'`),
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: (_, { seller }) => takes(seller, false),
  async check({ id }, [payment, change], { world }, isHeld) {
    await takes(world.admin, true)
    expect(change.status).toBe(200)
    const [state] = await moneyOf(world.admin, id)
    if (isHeld) expect(payment.status).toBe(422)
    expect([payment.status, state]).toEqual(payment.status === 422 ? [422, 'unpaid'] : [200, 'paid'])
  },
})

race('an order of nothing is paid once', {
  hold: writesTo('order_transactions'),
  async given({ world }) {
    const cart = await filledCart(world.shopper, wrap({ price: { amount: 0 } }))
    return (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
  },
  one: ({ id }, { shopper }) => pay(shopper, id),
  other: ({ id }, { shopper }) => pay(shopper, id),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([200, 409])
    expect(await transactionsOf(world.admin, id)).toHaveLength(1)
  },
})

race('two shipping groups of an order both stay', {
  hold: writesTo('orders'),
  given: async ({ world }) => order(world.shopper),
  one: ({ id }, { seller }) => seller.post(`/v2/orders/${id}/shipping-groups`, parcel('one')),
  other: ({ id }, { seller }) => seller.post(`/v2/orders/${id}/shipping-groups`, parcel('two')),
  async check({ id }, replies, { world }) {
    expect(statusesOf(replies)).toEqual([201, 201])
    expect((await world.admin.get(`/v2/orders/${id}/shipping-groups`)).body.data).toHaveLength(2)
  },
})

const parcel = (reference: string) => ({ data: { type: 'shipping_group', tracking_reference: reference } })

race('a payment that is sent again with its key is taken once', {
  hold: writesTo('order_transactions'),
  given: async ({ world }) => orderOf(world.shopper, 1000),
  one: ({ id }, { shopper }) => keyedPayment(shopper, id),
  other: ({ id }, { shopper }) => keyedPayment(shopper, id),
  async check({ id }, replies, { world }) {
    expect([200, 409]).toEqual(expect.arrayContaining([...statusesOf(replies)]))
    const stored = await transactionsOf(world.admin, id)
    expect(stored).toHaveLength(1)
    const again = await keyedPayment(world.shopper, id)
    expect([again.status, again.body.data.id]).toEqual([200, stored[0].id])
  },
})

const keyedPayment = (client: Client, id: string) =>
  client.post(
    `/v2/orders/${id}/payments`,
    { data: { gateway: 'manual', method: 'purchase', amount: 400 } },
    { 'idempotency-key': `pay-${id}` },
  )
