import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { filledCart, guestBody, order, wrap } from '../../builders/orders/buying.ts'
import { act, moneyOf, paid, takeManualPayments } from '../../builders/payments/paying.ts'
import {
  cards,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

const secret = 'whsec_a secret that only Stripe and the merchant know'

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
  await takeManualPayments(world.admin)
  await world.admin.put('/v2/gateways/stripe_payment_intents', { data: { webhook_secret: secret } })
})
afterAll(() => shop.close())
beforeEach(() => {
  double.calls.length = 0
  double.faults = []
})

const begin = (cart: string, data: object = {}, headers = {}) =>
  world.shopper.post(
    `${cart}/payments`,
    { data: { gateway: 'stripe_payment_intents', method: 'purchase', ...data } },
    headers,
  )
async function begun(cart: string, data?: object): Promise<string> {
  const { status, body } = await begin(cart, data)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.payment_intent_id
}
const checkout = async (cart: string): Promise<Any> => {
  const { status, body } = await world.shopper.post(`${cart}/checkout`, guestBody())
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}
const confirm = (id: string) => world.shopper.post(`/v2/orders/${id}/confirm`, { data: { options: {} } })
const refusal = ({ status, body }: Any) => [status, body.errors?.[0]?.title ?? body.errors?.[0]?.source]

test('a payment begins with the cart, is paid in the browser, and is recorded with the order', async () => {
  const cart = await filledCart(world.shopper)
  const { status, body } = await begin(cart, { options: { receipt_email: 'ada@example.com' } })
  const id = body.data.payment_intent_id
  expect([status, body.data.type, body.meta.payment_intent]).toEqual([
    201,
    'cart',
    { payment_intent: { id, client_secret: `${id}_secret_double`, status: 'requires_payment_method' } },
  ])
  expect(double.intents.get(id)).toMatchObject({
    ...{ amount: 1000, currency: 'usd', metadata: { email: 'ada@example.com' } },
  })
  expect((await world.shopper.get(cart)).body.data.payment_intent_id).toBe(id)

  const { id: orderId, payment_intent_id: ofOrder } = await checkout(cart)
  expect(ofOrder).toBe(id)
  expect((await world.shopper.get(cart)).body.data.payment_intent_id).toBe(undefined)
  double.payInBrowser(id)
  const confirmed = await confirm(orderId)
  expect([confirmed.status, confirmed.body.data]).toMatchObject([
    200,
    {
      ...{ type: 'transaction', reference: id, custom_reference: id, name: 'Stripe Payment Intent' },
      ...{ transaction_type: 'purchase', status: 'complete', amount: 1000 },
    },
  ])
  expect(await moneyOf(world.admin, orderId)).toEqual(['paid', 'complete', 1000, 0, 0])
  const read = await world.admin.get(`/v2/orders/${orderId}`)
  expect(read.body.data.payment_intent_id).toBe(undefined)
  const again = await confirm(orderId)
  expect([again.status, again.body]).toEqual([200, confirmed.body])
  expect((await transactionsOf(world.admin, orderId)).length).toBe(1)
})

test('a cart keeps its intent after a decline in the form, and its order takes another card after a confirm', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  double.payInBrowser(id, cards.declines)
  expect(await begun(cart)).toBe(id)
  const { id: orderId } = await checkout(cart)
  const { status, body } = await confirm(orderId)
  expect([status, body.data.status, body.data.failure_details.code]).toEqual([
    ...[200, 'failed', 'generic_decline'],
  ])
  expect(double.intents.get(id)?.status).toBe('canceled')
  expect((await charged(world.shopper, orderId)).status).toBe('complete')
})

const recorded = async (orderId: string): Promise<Any> => {
  await until(async () => ((await moneyOf(world.admin, orderId))[0] === 'paid' ? true : undefined))
  expect(await moneyOf(world.admin, orderId)).toEqual(['paid', 'complete', 1000, 0, 0])
  const [transaction, ...others] = await transactionsOf(world.admin, orderId)
  expect(others).toEqual([])
  return transaction
}

test('a webhook records a payment that no one confirms', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  const order = await checkout(cart)
  double.forgetEvents()
  double.payInBrowser(id)
  for (const { body, signature } of [...double.webhooks(secret), ...double.webhooks(secret)]) {
    const headers = { 'stripe-signature': signature }
    const reply = await world.nobody.send('POST', `/webhooks/stripe/stores/${world.storeId}`, {
      body,
      headers,
    })
    expect(reply.status).toBe(200)
  }
  const transaction = await recorded(order.id)
  expect((await confirm(order.id)).body.data.id).toBe(transaction.id)
})

const runFollowJobs = () =>
  world.sql(
    `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_at IS NULL AND task_id =
       (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'payments:follow-cart-payment')`,
  )

test('a payment that no one confirms is recorded without webhooks, too', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  const order = await checkout(cart)
  double.calls.length = 0
  await runFollowJobs()
  await until(async () => (double.calls.includes('read') ? true : undefined))
  expect(await transactionsOf(world.admin, order.id)).toEqual([])
  double.payInBrowser(id)
  await until(async () => {
    await runFollowJobs()
    return (await transactionsOf(world.admin, order.id)).length ? true : undefined
  })
  await recorded(order.id)
})

test('a payment that no one confirms is recorded once another payment no longer stands in its way', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  const order = await checkout(cart)
  const waiting = await charged(world.shopper, order.id, { payment: cards.challenges })
  double.payInBrowser(id)
  double.calls.length = 0
  await runFollowJobs()
  await until(async () => (double.calls.includes('read') ? true : undefined))
  expect((await moneyOf(world.admin, order.id))[0]).toBe('unpaid')
  expect((await act(world.admin, waiting, 'cancel')).status).toBe(200)
  await until(async () => {
    await runFollowJobs()
    return (await transactionsOf(world.admin, order.id)).length > 1 ? true : undefined
  })
  expect(await moneyOf(world.admin, order.id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test('an intent gets the amount that the cart costs when it is updated', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  await world.shopper.post(`${cart}/items`, { data: wrap({ sku: 'BOX', price: { amount: 500 } }) })
  expect(double.intents.get(id)?.amount).toBe(1000)
  const path = `${cart}/payments/${id}`
  const { status, body } = await world.shopper.put(path, { data: {} })
  expect([status, body.data.payment_intent_id, body.meta.payment_intent.payment_intent.id]).toEqual([
    200,
    id,
    id,
  ])
  expect(double.intents.get(id)?.amount).toBe(1500)
  // The page of the shopper was loaded again.
  await world.shopper.post(`${cart}/items`, { data: wrap({ sku: 'BAG', price: { amount: 20 } }) })
  expect(await begun(cart)).toBe(id)
  expect(double.intents.get(id)?.amount).toBe(1520)
  expect(double.calls.filter((call) => call === 'create')).toEqual(['create'])
  const unknown = await world.shopper.put(`${cart}/payments/pi_other`, { data: {} })
  expect(unknown.status).toBe(404)
})

test('an intent keeps its gateway and its method, and its amount is what the cart costs', async () => {
  const cart = await filledCart(world.shopper)
  const told = ({ status, body }: Any) => [status, body.errors?.[0].source]
  expect(told(await begin(cart, { amount: 999 }))).toEqual([422, 'data.amount'])
  const id = await begun(cart, { amount: 1000 })
  const put = (data: object) => world.shopper.put(`${cart}/payments/${id}`, { data })
  for (const send of [put, (data: object) => begin(cart, data)]) {
    expect(told(await send({ method: 'authorize' }))).toEqual([409, 'data.method'])
    expect(told(await send({ gateway: 'stripe' }))).toEqual([409, 'data.gateway'])
    expect(told(await send({ amount: 1 }))).toEqual([422, 'data.amount'])
    const same = { gateway: 'stripe_payment_intents', method: 'purchase_setup', amount: 1000 }
    expect((await send(same)).body.data.payment_intent_id).toBe(id)
  }
  await world.shopper.put(cart, { data: { payment_intent_id: '' } })
  const other = await begun(cart, { method: 'authorize', gateway: 'stripe' })
  expect(double.intents.get(other)?.capture_method).toBe('manual')
})

test('an authorization that began with the cart is captured later', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart, { method: 'authorize' })
  const order = await checkout(cart)
  double.payInBrowser(id)
  const held = (await confirm(order.id)).body.data
  expect([held.transaction_type, held.status]).toEqual(['authorize', 'complete'])
  expect(await moneyOf(world.admin, order.id)).toEqual(['authorized', 'processing', 0, 1000, 0])
  expect((await act(world.admin, held, 'capture')).body.data.transaction_type).toBe('capture')
})

test('an order is confirmed before the shopper pays, and again after it', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  const order = await checkout(cart)
  const pending = (await confirm(order.id)).body.data
  expect([pending.status, pending.payment_intent.client_secret]).toEqual(['pending', `${id}_secret_double`])
  expect(await moneyOf(world.admin, order.id)).toEqual(['unpaid', 'incomplete', 0, 0, 0])
  double.payInBrowser(id, cards.challenges)
  expect((await confirm(order.id)).body.data.status).toBe('pending')
  double.authenticate(id, true)
  expect((await confirm(order.id)).body.data.status).toBe('complete')
  expect((await moneyOf(world.admin, order.id))[0]).toBe('paid')
})

test('an intent of another amount pays a part', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  await world.shopper.post(`${cart}/items`, { data: wrap({ sku: 'BOX', price: { amount: 500 } }) })
  const order = await checkout(cart)
  double.payInBrowser(id)
  expect((await confirm(order.id)).body.data.amount).toBe(1000)
  expect(await moneyOf(world.admin, order.id)).toEqual(['partially_paid', 'incomplete', 1000, 0, 500])
})

test('a second order of the cart has no intent', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  expect((await checkout(cart)).payment_intent_id).toBe(id)
  await world.shopper.post(`${cart}/items`, { data: wrap({ sku: 'BOX' }) })
  const second = await checkout(cart)
  expect(second.payment_intent_id).toBe(undefined)
  expect(refusal(await confirm(second.id))).toEqual([422, 'Order cannot be confirmed in its current state'])
})

test('a cart with an intent changes like any other, and a client can remove the intent', async () => {
  const cart = await filledCart(world.shopper)
  const id = await begun(cart)
  const put = (data: object) => world.shopper.put(cart, { data })
  expect((await put({ name: 'Mine' })).body.data.payment_intent_id).toBe(id)
  expect((await put({ payment_intent_id: id })).status).toBe(200)
  expect((await put({ payment_intent_id: 'pi_mine' })).status).toBe(422)
  expect((await put({ payment_intent_id: '' })).body.data.payment_intent_id).toBe(undefined)
  expect(await begun(cart)).not.toBe(id)
})

test('payments that cannot begin are refused', async () => {
  const cart = await filledCart(world.shopper)
  expect(refusal(await begin('/v2/carts/nothing-in-it'))).toEqual([400, 'Empty cart'])
  expect(refusal(await begin(await filledCart(world.shopper, wrap({ price: { amount: 0 } }))))[0]).toBe(422)
  expect((await begin(cart, { gateway: 'manual' })).body.errors[0].source).toBe('data.gateway')
  const both = { payment_method_types: ['card'], options: { automatic_payment_methods: { enabled: true } } }
  expect((await begin(cart, both)).body.errors[0].source).toBe('data.payment_method_types')
  const disabled = await filledCart(world.other)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  expect((await world.other.post(`${disabled}/payments`, { data })).status).toBe(422)
  expect((await confirm(crypto.randomUUID())).status).toBe(404)
  expect((await confirm((await order(world.shopper)).id)).status).toBe(422)
  const id = await begun(cart)
  double.payInBrowser(id)
  expect(refusal(await world.shopper.put(`${cart}/payments/${id}`, { data: {} }))).toEqual([
    400,
    'Payment gateway processing failed',
  ])
})

test('an order that was paid in another way does not take the intent', async () => {
  const cart = await filledCart(world.shopper)
  await begun(cart)
  const { id } = await checkout(cart)
  await paid(world.shopper, id)
  expect((await confirm(id)).status).toBe(409)
  expect((await transactionsOf(world.admin, id)).length).toBe(1)
})

test.each(['request lost', 'response lost', 'error before', 'error after'] as const)(
  'a cart has one intent after a fault (%s)',
  async (is) => {
    const cart = await filledCart(world.shopper)
    double.faults = [{ at: 'create', is, times: 1 }]
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await begin(cart, {}, headers)
    const reply = first.status === 201 ? first : await begin(cart, {}, headers)
    expect(reply.status).toBe(201)
    const id = reply.body.data.payment_intent_id
    expect((await world.shopper.get(cart)).body.data.payment_intent_id).toBe(id)
    expect((await begin(cart, {}, headers)).body.data.payment_intent_id).toBe(id)
  },
)

test('of many first payments of a cart at once, one intent is made', async () => {
  const cart = await filledCart(world.shopper)
  const replies = await Promise.all(Array.from({ length: 5 }, () => begin(cart)))
  const statuses = new Set(replies.map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([])
  const ids = new Set(replies.flatMap(({ body }) => body.data?.payment_intent_id ?? []))
  expect(ids.size).toBe(1)
  expect(double.calls.filter((call) => call === 'create').length).toBe(1)
})
