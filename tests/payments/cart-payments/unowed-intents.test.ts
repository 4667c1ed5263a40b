import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { filledCart, guestBody, wrap } from '../../builders/orders/buying.ts'
import { age, readNow } from '../../builders/payments/following.ts'
import { act, moneyOf, paid, takeManualPayments } from '../../builders/payments/paying.ts'
import { openStripeShop, type StripeShop, transactionsOf } from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

/** Payments that began with a cart, and for which its order does not owe the money. */

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
  await takeManualPayments(world.admin)
})
afterAll(() => shop.close())
beforeEach(() => {
  double.calls.length = 0
})

/** An order with an intent of `amount` from its cart, and a total of 1000. */
async function ordered(amount = 1000, method = 'purchase'): Promise<{ id: string; intent: string }> {
  const cart = await filledCart(world.shopper)
  const more = amount - 1000
  const item =
    more &&
    (await world.shopper.post(`${cart}/items`, { data: wrap({ sku: 'BOX', price: { amount: more } }) }))
  const data = { gateway: 'stripe_payment_intents', method }
  const intent = (await world.shopper.post(`${cart}/payments`, { data })).body.data.payment_intent_id
  if (item) {
    const box = item.body.data.find(({ sku }: Any) => sku === 'BOX')
    expect((await world.shopper.delete(`${cart}/items/${box.id}`)).status).toBe(200)
  }
  const { status, body } = await world.shopper.post(`${cart}/checkout`, guestBody())
  expect([status, body.data.meta.display_price.with_tax.amount]).toEqual([201, 1000])
  return { id: body.data.id, intent }
}

const listed = async (): Promise<Any[]> => (await world.admin.get('/v2/open-payments')).body.data
const byName = async (id: string): Promise<Any> =>
  (await transactionsOf(world.admin, id)).find(({ name }) => name === 'Stripe Payment Intent')
/** Lets the jobs read intents until there is a transaction of it. */
const recorded = (id: string): Promise<Any> =>
  until(async () => {
    await readNow(world)
    return byName(id)
  })
const confirmed = (transaction: Any) => act(world.admin, transaction, 'confirm')

test.each([
  [
    'paid in another way',
    (id: string) => paid(world.shopper, id),
    ['paid', 'complete', 1000, 0, 0],
    'order_settled',
  ],
  [
    'cancelled',
    (id: string) => world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } }),
    ['unpaid', 'cancelled', 0, 0, 1000],
    'order_cancelled',
  ],
])('money for the intent of an order that was %s is listed once', async (_, settle, money, code) => {
  const { id, intent } = await ordered()
  await settle(id)
  double.payInBrowser(intent)
  const transaction = await recorded(id)
  expect(transaction).toMatchObject({
    ...{ reference: intent, status: 'cancelled', amount: 1000, failure_details: { code } },
  })
  expect((await world.admin.get(`/v2/orders/${id}`)).body.data.payment_intent_id).toBe(undefined)
  expect(await moneyOf(world.admin, id)).toEqual(money)
  const entry = { id: transaction.id, order_id: id, reason: 'ended', reference: intent, amount: 1000 }
  expect(await listed()).toEqual([expect.objectContaining(entry)])
  await confirmed(transaction)
  await confirmed(transaction)
  expect(await listed()).toEqual([expect.objectContaining(entry)])
  double.refundInDashboard(intent, 999)
  await confirmed(transaction)
  expect((await listed()).length).toBe(1)
  double.refundInDashboard(intent, 1)
  await confirmed(transaction)
  expect(await listed()).toEqual([])
  expect(await moneyOf(world.admin, id)).toEqual(money)
})

test('an intent that nobody has paid leaves an order that was paid in another way', async () => {
  const { id, intent } = await ordered()
  await paid(world.shopper, id)
  await age(world, 'orders', id, 25)
  await until(async () => {
    await readNow(world)
    return double.intents.get(intent)?.status === 'canceled' ? true : undefined
  })
  await until(async () => {
    const { payment_intent_id: left } = (await world.admin.get(`/v2/orders/${id}`)).body.data
    return left === undefined ? true : undefined
  })
  expect([await byName(id), await listed()]).toEqual([undefined, []])
})

test('an intent that nobody pays for a day is cancelled, and the order says so', async () => {
  const { id, intent } = await ordered()
  await age(world, 'orders', id, 25)
  expect(await recorded(id)).toMatchObject({
    ...{ status: 'cancelled', reference: intent, failure_details: { code: 'abandoned' } },
  })
  expect(double.intents.get(intent)?.cancellation_reason).toBe('abandoned')
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
  expect(await listed()).toEqual([])
})

test('what an intent has received beyond its order is listed until it is returned', async () => {
  const { id, intent } = await ordered(1500)
  double.payInBrowser(intent)
  const transaction = await recorded(id)
  expect([transaction.status, transaction.amount]).toEqual(['complete', 1000])
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
  const entry = { id: transaction.id, reason: 'overpaid', excess: 500, amount: 1000 }
  expect(await listed()).toEqual([expect.objectContaining(entry)])
  const refund = (amount: number) => act(world.admin, transaction, 'refund', { amount })
  expect((await refund(100)).status).toBe(422)
  double.refundInDashboard(intent, 200)
  await confirmed(transaction)
  expect(await listed()).toEqual([expect.objectContaining({ ...entry, excess: 300 })])
  double.refundInDashboard(intent, 300)
  expect((await confirmed(transaction)).body.data.refunded_amount).toBe(0)
  expect(await listed()).toEqual([])
  // From here on, refunds are of the payment.
  for (const [amount, refunded] of [
    [100, 100],
    [250, 350],
  ] as const) {
    expect((await refund(amount)).body.data.refunded_amount).toBe(refunded)
    expect(double.intents.get(intent)?.refunded).toBe(500 + refunded)
  }
  expect((await refund(650)).body.data.transaction_type).toBe('refund')
  expect(double.received).toBe(0)
})

test('a capture receives what the order owes, where more is held', async () => {
  const before = double.received
  const { id, intent } = await ordered(1500, 'authorize')
  double.payInBrowser(intent)
  const held = await recorded(id)
  expect([held.transaction_type, held.amount]).toEqual(['authorize', 1000])
  expect((await act(world.admin, held, 'capture')).body.data.amount).toBe(1000)
  expect([double.received - before, await listed()]).toEqual([1000, []])
})

const listedOfCart = async (): Promise<Any[]> =>
  (await listed()).filter(({ reason }) => reason === 'no_order')
const found = (test: (entries: Any[]) => boolean) =>
  until(async () => {
    await readNow(world)
    const { rows } = await world.sql(
      'UPDATE cart_payments SET held_since = $1 WHERE held_since IS NOT NULL AND order_id IS NULL RETURNING reference',
      [new Date(Date.now() - 11 * 60_000)],
    )
    return test(rows) ? true : undefined
  })

test('money for a cart of which no order is made is listed until it is returned', async () => {
  const cart = await filledCart(world.shopper)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const intent = (await world.shopper.post(`${cart}/payments`, { data })).body.data.payment_intent_id
  double.payInBrowser(intent)
  await found((rows) => rows.length === 1)
  expect(await listedOfCart()).toEqual([
    {
      ...{ type: 'open_payment', id: expect.any(String), cart_id: cart.split('/').at(-1) },
      ...{ gateway: 'stripe_payment_intents', reference: intent, amount: 1000, currency: 'USD' },
      ...{ reason: 'no_order', since: expect.any(String) },
    },
  ])
  double.refundInDashboard(intent, 1000)
  await found((rows) => rows.length === 0)
  expect(await listedOfCart()).toEqual([])
})

test('money for a payment that its cart has lost is heard of and listed, and forgotten when it is returned', async () => {
  const cart = await filledCart(world.shopper)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const intent = (await world.shopper.post(`${cart}/payments`, { data })).body.data.payment_intent_id
  expect((await world.shopper.put(cart, { data: { payment_intent_id: '' } })).status).toBe(200)
  double.payInBrowser(intent)
  await world.admin.put('/v2/gateways/stripe_payment_intents', { data: { webhook_secret: 'whsec_lost' } })
  const { body, signature } = double.lastWebhook(intent, 'whsec_lost')
  const headers = { 'stripe-signature': signature }
  await world.nobody.send('POST', `/webhooks/stripe/stores/${world.storeId}`, { body, headers })
  const rowsOf = async (): Promise<Any[]> =>
    (await world.sql('SELECT held FROM cart_payments WHERE reference = $1', [intent])).rows
  await until(async () => ((await rowsOf())[0]?.held === '1000' ? true : undefined))
  await found((rows) => rows.length === 1)
  expect((await listedOfCart()).map(({ reference }) => reference)).toEqual([intent])
  double.refundInDashboard(intent, 1000)
  await until(async () => {
    await readNow(world)
    return (await rowsOf()).length === 0 ? true : undefined
  })
  expect(await listedOfCart()).toEqual([])
})

test('money for a cart leaves the list with its checkout', async () => {
  const cart = await filledCart(world.shopper)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const intent = (await world.shopper.post(`${cart}/payments`, { data })).body.data.payment_intent_id
  double.payInBrowser(intent)
  await found((rows) => rows.length === 1)
  expect((await listedOfCart()).length).toBe(1)
  const { body } = await world.shopper.post(`${cart}/checkout`, guestBody())
  expect(await listedOfCart()).toEqual([])
  await recorded(body.data.id)
  expect(await moneyOf(world.admin, body.data.id)).toEqual(['paid', 'complete', 1000, 0, 0])
  await found((rows) => rows.length === 0)
})
