import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paymentStates } from '../../../server/orders/index.ts'
import { eventsBetween } from '../../../server/orders/order/order-events.ts'
import { address, guest, order } from '../../builders/orders/buying.ts'
import { act, orderOf, paid, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import { type DerivedEvent, eventsDuring, keysOf } from '../../builders/telling/derived-events.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { SUTLER_BASE_URL: 'https://shop.example.com' } })
  await takeManualPayments(world.admin)
})
afterAll(() => world.close())

/** What GET shows of an order with its items. */
const shown = async (id: string) => {
  const { data, included } = (await world.admin.get(`/v2/orders/${id}?include=items`)).body
  return { data, included }
}
const update = (id: string, values: object) =>
  world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', ...values } })

/** The events of orders and transactions; those of the cart are another test's. */
const keysOfOrders = (events: readonly DerivedEvent[]) =>
  keysOf(events).filter((key) => !key.startsWith('cart.'))

/** All events of an order show it as it is after the action. */
async function expectOrder(events: readonly DerivedEvent[], id: string): Promise<void> {
  const now = await shown(id)
  for (const { key, payload } of events) if (key.startsWith('order.')) expect(payload, key).toEqual(now)
}

describe('an order', () => {
  test('is created by a checkout, with its items', async () => {
    let id = ''
    const events = await eventsDuring(world, async () => {
      id = (await order(world.admin)).id
    })
    expect(keysOfOrders(events)).toEqual(['order.created'])
    await expectOrder(events, id)
    expect((await shown(id)).included.items).toHaveLength(1)
  })

  test.each([
    [{ method: 'purchase' }, ['transaction.created', 'order.updated', 'order.paid']],
    [{ method: 'authorize' }, ['transaction.created', 'order.updated', 'order.authorized']],
    [{ method: 'purchase', amount: 400 }, ['transaction.created', 'order.updated']],
    [{ method: 'authorize', amount: 400 }, ['transaction.created', 'order.updated']],
  ])('that is paid by %j has these events', async (payment, keys) => {
    const { id } = await order(world.admin)
    const events = await eventsDuring(world, () => paid(world.admin, id, payment))
    expect(keysOf(events)).toEqual(keys)
    await expectOrder(events, id)
    const { body } = await world.admin.get(`/v2/orders/${id}/transactions`)
    expect(events[0]?.payload).toEqual({ data: body.data[0] })
  })

  test('is paid by the capture of its authorization', async () => {
    const { id } = await order(world.admin)
    const authorized = await paid(world.admin, id, { method: 'authorize' })
    const events = await eventsDuring(world, () => act(world.admin, authorized, 'capture'))
    expect(keysOf(events)).toEqual(['transaction.updated', 'order.updated', 'order.paid'])
    await expectOrder(events, id)
  })

  test('is refunded when all of it is, not by a part', async () => {
    const { id } = await order(world.admin)
    const payment = await paid(world.admin, id)
    const part = await eventsDuring(world, () => act(world.admin, payment, 'refund', { amount: 300 }))
    expect(keysOf(part)).toEqual(['transaction.updated', 'order.updated'])
    const rest = await eventsDuring(world, () => act(world.admin, payment, 'refund', { amount: 700 }))
    expect(keysOf(rest)).toEqual(['transaction.updated', 'order.updated', 'order.refunded'])
    await expectOrder(rest, id)
  })

  test('is fulfilled and cancelled once each', async () => {
    const { id } = await order(world.admin)
    await paid(world.admin, id)
    const sent = await eventsDuring(world, () => update(id, { shipping: 'fulfilled' }))
    expect(keysOf(sent)).toEqual(['order.updated', 'order.fulfilled'])
    await expectOrder(sent, id)
    expect(await eventsDuring(world, () => update(id, { shipping: 'fulfilled' }))).toEqual([])
    const other = await order(world.admin)
    const cancelled = await eventsDuring(world, () => update(other.id, { status: 'cancelled' }))
    expect(keysOf(cancelled)).toEqual(['order.updated', 'order.cancelled'])
    await expectOrder(cancelled, other.id)
  })

  test('without a cart is created and paid by the same table', async () => {
    const events = await eventsDuring(world, async () => {
      const { id } = await orderOf(world.admin, 1000)
      await update(id, { external_ref: 'erp-1' })
    })
    expect(keysOfOrders(events)).toEqual(['order.created', 'order.updated'])
  })

  test('without a cart may be deleted, which is an event with its type and id', async () => {
    const made = await world.admin.post('/v2/orders', {
      data: { type: 'order', customer: guest, billing_address: address },
      included: {
        items: [{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', quantity: 1, unit_price: { amount: 1 } }],
      },
    })
    expect([made.status, made.body.errors]).toEqual([201, undefined])
    const { id } = made.body.data
    const events = await eventsDuring(world, () => world.admin.delete(`/v2/orders/${id}`))
    expect(events.map(({ key, payload }) => [key, payload])).toEqual([
      ['order.deleted', { type: 'order', id }],
    ])
  })

  test('has no name in its events after it is anonymized, nor has the feed', async () => {
    const { id } = await order(world.admin)
    await paid(world.admin, id)
    await update(id, { shipping: 'fulfilled' })
    const events = await eventsDuring(world, () =>
      world.admin.post('/v2/orders/anonymize', { data: { type: 'anonymize_orders', order_ids: [id] } }),
    )
    expect(keysOf(events)).toEqual(['order.updated', 'cart.deleted'])
    expect(JSON.stringify(events)).not.toContain('ada@example.com')
    const { rows } = await world.feed(
      `SELECT event FROM changes WHERE id = $1 AND c::text LIKE '%ada@example.com%'`.replace(
        'changes',
        'changes c',
      ),
      [id],
    )
    expect(rows).toEqual([])
  })
})

test('an order whose refund has failed is not paid a second time', () => {
  const [shipping, status] = ['unfulfilled', 'complete'] as const
  const [refunded, paid] = (['refunded', 'paid'] as const).map((payment) => ({ payment, shipping, status }))
  expect(eventsBetween(refunded as never, paid as never)).toEqual([])
  expect(eventsBetween(paid as never, refunded as never)).toEqual(['order.refunded'])
})

test('nothing happens to an order that stays as it is', () => {
  for (const payment of paymentStates) {
    for (const shipping of ['unfulfilled', 'fulfilled'] as const) {
      for (const status of ['incomplete', 'processing', 'complete', 'cancelled'] as const) {
        const state = { payment, shipping, status }
        expect(eventsBetween(state, state)).toEqual([])
      }
    }
  }
})

/** One request of a merchant. `n` chooses the transaction and the amount. */
const request = fc.record({
  verb: fc.constantFrom('purchase', 'authorize', 'capture', 'refund', 'cancel', 'fulfil', 'cancel order'),
  n: fc.nat({ max: 3 }),
})
const total = 1000
const amounts = [1000, 400, 600, 250]

interface Money {
  readonly id: string
  readonly amount: number
  state: 'held' | 'received' | 'cancelled'
  refunded: number
}

/** What docs/payments.md says of the payments of an order, written down once more. */
function paymentOf(all: readonly Money[]): string {
  const [held, received] = [
    all.filter((one) => one.state === 'held'),
    all.filter((one) => one.state === 'received'),
  ]
  const sum = [...held, ...received].reduce((amount, one) => amount + one.amount, 0)
  if (!held.length && !received.length) return 'unpaid'
  if (!held.length && received.every((one) => one.refunded === one.amount)) return 'refunded'
  if (sum < total) return 'a part'
  return held.length ? 'authorized' : 'paid'
}

test('any requests have exactly the events of the table', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 8 }), async (requests) => {
      const { id } = await order(world.admin)
      const money: Money[] = []
      let [payment, shipping, status] = ['unpaid', 'unfulfilled', 'open']
      for (const { verb, n } of requests) {
        let isDone = false
        const events = await eventsDuring(world, async () => {
          isDone = await run(id, money, verb, n)
        })
        const expected: string[] = []
        if (isDone) {
          const isPayment = verb === 'purchase' || verb === 'authorize'
          if (isPayment) expected.push('transaction.created')
          if (['capture', 'refund', 'cancel'].includes(verb)) expected.push('transaction.updated')
          if (verb === 'cancel order') {
            // What is held for it is let go.
            for (const one of money.filter(({ state }) => state === 'held')) {
              one.state = 'cancelled'
              expected.push('transaction.updated')
            }
          }
          // A repeated request changes nothing.
          const isRepeated =
            (verb === 'fulfil' && shipping === 'fulfilled') ||
            (verb === 'cancel order' && status === 'cancelled')
          if (!isRepeated) expected.push('order.updated')
          const now = paymentOf(money)
          if (now !== payment && ['authorized', 'paid', 'refunded'].includes(now))
            expected.push(`order.${now}`)
          if (verb === 'fulfil' && shipping !== 'fulfilled') expected.push('order.fulfilled')
          if (verb === 'cancel order' && status !== 'cancelled') expected.push('order.cancelled')
          payment = now
          if (verb === 'fulfil') shipping = 'fulfilled'
          if (verb === 'cancel order') status = 'cancelled'
        }
        expect([verb, n, keysOf(events)]).toEqual([verb, n, expected])
      }
    }),
    { numRuns: tries(15, 300) },
  )
})

/** Sends one request, and writes down what it does where it is accepted. */
async function run(id: string, money: Money[], verb: string, n: number): Promise<boolean> {
  if (verb === 'fulfil') return (await update(id, { shipping: 'fulfilled' })).status === 200
  if (verb === 'cancel order') return (await update(id, { status: 'cancelled' })).status === 200
  if (verb === 'purchase' || verb === 'authorize') {
    const amount = amounts[n] as number
    const { status, body } = await pay(world.admin, id, { method: verb, amount })
    if (status !== 200) return false
    money.push({ id: body.data.id, amount, state: verb === 'purchase' ? 'received' : 'held', refunded: 0 })
    return true
  }
  const one = money[n % (money.length || 1)]
  if (!one) return false
  const left = one.amount - one.refunded
  const amount = n % 2 && left > 100 ? 100 : left
  const transaction = { id: one.id, relationships: { order: { data: { id } } } }
  const { status } = await act(world.admin, transaction, verb, verb === 'refund' ? { amount } : undefined)
  if (status !== 200) return false
  if (verb === 'capture') one.state = 'received'
  if (verb === 'cancel') one.state = 'cancelled'
  if (verb === 'refund') one.refunded += amount
  return true
}
