import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { filledCart, guestBody, openShop, wrap } from '../../builders/orders/buying.ts'
import { act, moneyOf, orderOf, paid } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import type { World } from '../../support/world.ts'

let shop: StripeShop
let world: World
let double: StripeDouble
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
  ids = await openShop(world, { MUG: 1200 })
})
afterAll(() => shop.close())
beforeEach(() => {
  double.calls.length = 0
  double.faults = []
})

const newOrder = async (total = 1000): Promise<string> => (await orderOf(world.shopper, total)).id
const refusal = ({ status, body }: Any) => [status, body.errors?.[0]?.title, body.errors?.[0]?.detail]
const openIntents = async () =>
  (await world.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n

test('a card without a challenge pays the order, and the intent knows it', async () => {
  const id = await newOrder()
  const transaction = await charged(world.shopper, id, { options: { receipt_email: 'ada@example.com' } })
  const intent = double.intents.get(transaction.reference)
  expect(transaction).toMatchObject({
    ...{ gateway: 'stripe_payment_intents', transaction_type: 'purchase', status: 'complete' },
    ...{ amount: 1000, refunded_amount: 0, currency: 'USD' },
  })
  expect([transaction.payment_intent, transaction.client_parameters]).toEqual([undefined, undefined])
  expect(intent).toMatchObject({
    ...{ status: 'succeeded', amount_received: 1000, metadata: { order_id: id, email: 'ada@example.com' } },
  })
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
  expect(await transactionsOf(world.admin, id)).toEqual([transaction])
  expect(double.calls).toEqual(['create', 'confirm', 'read'])
  expect(await openIntents()).toBe(0)
})

test('the token of a card pays with the older gateway', async () => {
  const id = await newOrder()
  const transaction = await charged(world.shopper, id, { gateway: 'stripe', payment: 'tok_visa' })
  expect([transaction.gateway, transaction.status]).toEqual(['stripe', 'complete'])
})

test('an authorization holds the money until its capture', async () => {
  const id = await newOrder()
  const held = await charged(world.shopper, id, { method: 'authorize' })
  expect([held.transaction_type, held.status]).toEqual(['authorize', 'complete'])
  expect(await moneyOf(world.admin, id)).toEqual(['authorized', 'processing', 0, 1000, 0])
  const { body } = await act(world.admin, held, 'capture', { custom_reference: 'R-1' })
  expect(body.data).toMatchObject({
    ...{ transaction_type: 'capture', status: 'complete' },
    ...{ capture_mechanism: 'automatic', custom_reference: 'R-1' },
  })
  expect(double.intents.get(held.reference)?.status).toBe('succeeded')
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test('an authorization that is cancelled is owed again', async () => {
  const id = await newOrder()
  const held = await charged(world.shopper, id, { method: 'authorize' })
  const { status, body } = await act(world.admin, held, 'cancel', { reason: 'duplicate' })
  expect([status, body.data.transaction_type, body.data.status]).toEqual([200, 'authorize', 'cancelled'])
  expect(double.intents.get(held.reference)?.status).toBe('canceled')
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
})

test('a challenge is answered in the browser, and a confirm records it', async () => {
  const id = await newOrder()
  const pending = await charged(world.shopper, id, { payment: cards.challenges })
  const secret = `${pending.reference}_secret_double`
  expect(pending).toMatchObject({
    ...{ status: 'pending', transaction_type: 'purchase' },
    client_parameters: { token: pending.reference, secret },
    payment_intent: { id: pending.reference, client_secret: secret, status: 'requires_action' },
  })
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 0])
  const again = (await act(world.shopper, pending, 'confirm', {})).body.data
  expect([again.status, again.client_parameters]).toEqual(['pending', pending.client_parameters])
  double.authenticate(pending.reference, true)
  const complete = (await act(world.shopper, pending, 'confirm', { options: {} })).body.data
  expect([complete.status, complete.client_parameters]).toEqual(['complete', undefined])
  expect((await act(world.shopper, pending, 'confirm')).body.data).toEqual(complete)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test.each([
  ['purchase_setup', 'purchase-setup'],
  ['authorize_setup', 'authorize-setup'],
])('%s waits for the browser', async (method, type) => {
  const id = await newOrder()
  const pending = await charged(world.shopper, id, { method, payment: undefined })
  expect([pending.status, pending.transaction_type, pending.payment_intent.status]).toEqual([
    ...['pending', type, 'requires_payment_method'],
  ])
  expect(await moneyOf(world.admin, id)).toEqual([
    'unpaid',
    'incomplete',
    0,
    ...(method[0] === 'a' ? [1000] : [0]),
    0,
  ])
  expect((await charge(world.shopper, id)).status).toBe(409)
  expect((await act(world.admin, pending, 'cancel')).body.data.status).toBe('cancelled')
  expect((await charged(world.shopper, id)).status).toBe('complete')
})

test('a declined card is refused with the reason, and another card may pay', async () => {
  const id = await newOrder()
  const reply = await charge(world.shopper, id, { payment: cards.declines })
  const [failed] = await transactionsOf(world.admin, id)
  expect(refusal(reply)).toEqual([400, 'Payment gateway processing failed', 'Your card was declined.'])
  expect(reply.body.errors[0].meta).toEqual({ error: 'generic_decline', transaction_id: failed.id })
  expect(failed).toMatchObject({
    status: 'failed',
    failure_details: { code: 'generic_decline', reason: 'Your card was declined.' },
  })
  expect(double.intents.get(failed.reference)?.status).toBe('canceled')
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
  expect((await charged(world.shopper, id)).status).toBe('complete')
})

test('what Stripe does not take fails with its reason, which sellers read', async () => {
  const id = await newOrder()
  const reason = "No such PaymentMethod: 'pm_unknown'"
  const reply = await charge(world.admin, id, { payment: 'pm_unknown' })
  expect(refusal(reply)).toEqual([400, 'Payment gateway processing failed', reason])
  expect(reply.body.errors[0].meta.error).toBe('resource_missing')
  const [failed] = await transactionsOf(world.admin, id)
  expect(failed).toMatchObject({
    ...{ status: 'failed', failure_details: { code: 'gateway_refused' } },
    gateway_failure: { code: 'resource_missing', reason },
  })
  expect(failed.reference).toBe(undefined)
  const confirmed = await act(world.shopper, failed, 'confirm')
  expect([confirmed.status, confirmed.body.data.status]).toEqual([200, 'failed'])
  expect((await act(world.admin, failed, 'cancel')).status).toBe(422)
})

test('refunds are made in parts, and without an amount only marked', async () => {
  const id = await newOrder()
  const transaction = await charged(world.shopper, id)
  const intent = double.intents.get(transaction.reference)
  for (const [amount, refunded] of [
    [300, 300],
    [200, 500],
  ]) {
    const { status, body } = await act(world.admin, transaction, 'refund', { amount })
    expect([status, body.data.refunded_amount, body.data.refund_mechanism]).toEqual([
      ...[200, refunded, 'automatic'],
    ])
    expect(intent?.refunded).toBe(refunded)
  }
  expect((await act(world.admin, transaction, 'refund', { amount: 501 })).status).toBe(400)
  const { body } = await act(world.admin, transaction, 'refund')
  expect(body.data).toMatchObject({
    ...{ transaction_type: 'refund', refunded_amount: 1000, refund_mechanism: 'manual' },
  })
  expect(intent?.refunded).toBe(500)
  expect(await moneyOf(world.admin, id)).toEqual(['refunded', 'complete', 1000, 0, 0])
})

test('a key of the client gets the same transaction', async () => {
  const id = await newOrder()
  const options = { idempotency_key: 'first try' }
  const pending = await charged(world.shopper, id, { payment: cards.challenges, options })
  expect(await charged(world.shopper, id, { payment: cards.challenges, options })).toEqual(pending)
  double.authenticate(pending.reference, true)
  expect((await charged(world.shopper, id, { options })).status).toBe('complete')
  expect((await transactionsOf(world.admin, id)).length).toBe(1)
  const refused = await charge(world.shopper, id, { options: { idempotency_key: '' } })
  expect(refused.body.errors[0].source).toBe('data.options.idempotency_key')
})

test('the same Idempotency-Key pays once, and its response has the secret again', async () => {
  const id = await newOrder()
  const headers = { 'Idempotency-Key': randomUUID() }
  const data = { gateway: 'stripe_payment_intents', method: 'purchase', payment: cards.challenges }
  const send = () => world.shopper.post(`/v2/orders/${id}/payments`, { data }, headers)
  const replies = [await send(), await send()]
  expect(replies[1]?.body).toEqual(replies[0]?.body)
  expect(replies[0]?.body.data.client_parameters.secret).toMatch(/_secret_/)
  expect(double.calls.filter((one) => one === 'create').length).toBe(1)
})

test('secrets of shoppers and merchants are in no table', async () => {
  const id = await newOrder()
  const options = { receipt_email: 'grace@example.com' }
  const pending = await charged(world.shopper, id, { payment: cards.challenges, options })
  const { rows } = await world.sql(
    `SELECT doc::text || coalesce(hidden::text, '') AS text FROM order_transactions
     UNION ALL SELECT values::text || coalesce(outcome::text, '') FROM errands`,
  )
  const all = rows.map(({ text }) => text).join('\n')
  expect(all).toContain(pending.id)
  expect(all).not.toContain(pending.client_parameters.secret)
  expect(all).not.toContain(double.key)
  expect(all).not.toContain('grace@example.com')
})

test('wrong payments are refused without a call', async () => {
  const id = await newOrder()
  const both = {
    payment_method_types: ['card'],
    options: { automatic_payment_methods: { enabled: true } },
  }
  const tries: [data: object, status: number, source: string][] = [
    [both, 400, 'data.payment_method_types'],
    [{ amount: 1001 }, 400, 'data.amount'],
    [{ method: 'pay' }, 400, 'data.method'],
    [{ gateway: 'braintree' }, 422, 'data.gateway'],
  ]
  for (const [data, status, source] of tries) {
    const reply = await charge(world.shopper, id, data)
    expect([reply.status, reply.body.errors[0].source]).toEqual([status, source])
  }
  expect([double.calls, await transactionsOf(world.admin, id)]).toEqual([[], []])
})

test('a dry run says what a payment would be, and asks nobody', async () => {
  const id = await newOrder()
  const before = await world.sql('SELECT count(*)::int AS n FROM errands')
  const send = (gateway: string, headers = {}) =>
    world.shopper.post(
      `/v2/orders/${id}/payments`,
      { data: { gateway, method: 'purchase', payment: cards.pays } },
      { Prefer: 'dry-run', ...headers },
    )
  const reply = await send('stripe_payment_intents')
  expect([reply.status, reply.body.data.status, reply.headers.get('preference-applied')]).toEqual([
    ...[200, 'pending', 'dry-run'],
  ])
  await world.admin.put('/v2/gateways/manual', { data: { enabled: true, shoppers_may_pay: true } })
  expect((await send('manual')).body.data.status).toBe('complete')
  expect((await send('adyen')).status).toBe(422)
  expect((await send('manual', { 'Idempotency-Key': randomUUID() })).status).toBe(400)
  expect([double.calls, await transactionsOf(world.admin, id)]).toEqual([[], []])
  expect((await world.sql('SELECT count(*)::int AS n FROM errands')).rows).toEqual(before.rows)
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
})

test('stock is allocated while Stripe is asked, and given back when the payment fails', async () => {
  const levels = async () => (await world.admin.get(`/v2/inventories/${ids.MUG}`)).body.data
  await world.admin.post(`/v2/inventories/${ids.MUG}`, { data: { type: 'stock', quantity: 3 } })
  const mugs = async (quantity: number) => {
    const cart = await filledCart(world.shopper, { type: 'cart_item', sku: 'MUG', quantity }, wrap())
    return (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data.id as string
  }
  const [first, second, third] = [await mugs(2), await mugs(2), await mugs(2)]
  const during: number[] = []
  double.onRequest = async () => void during.push((await levels()).allocated)
  await charge(world.shopper, first, { payment: cards.declines })
  double.onRequest = () => {}
  expect([new Set(during), (await levels()).allocated]).toEqual([new Set([2]), 0])
  // A shopper who does not answer the challenge holds nothing.
  const pending = await charged(world.shopper, first, { payment: cards.challenges })
  expect((await levels()).allocated).toBe(0)
  await charged(world.shopper, second)
  expect((await levels()).allocated).toBe(2)
  // The other one answers it too late: the payment is recorded all the same.
  double.authenticate(pending.reference, true)
  const late = await act(world.shopper, pending, 'confirm')
  expect([late.status, late.body.data.status, (await levels()).allocated]).toEqual([200, 'complete', 2])
  expect((await moneyOf(world.admin, first))[0]).toBe('paid')
  // When there is stock again, a confirm allocates it.
  await world.admin.post(`/v2/inventories/${ids.MUG}/transactions`, {
    data: { type: 'stock-transaction', action: 'increment', quantity: 2 },
  })
  await act(world.admin, pending, 'confirm')
  expect((await levels()).allocated).toBe(4)
  const before = double.calls.length
  const reply = await charge(world.shopper, third)
  expect([...refusal(reply).slice(0, 2), double.calls.length]).toEqual([400, 'Insufficient stock', before])
})

test('a cancelled authorization gives its stock back', async () => {
  const { id } = await orderOf(world.shopper, 500)
  const held = await charged(world.shopper, id, { method: 'authorize', amount: 200 })
  const { rows } = await world.sql(`SELECT hidden#>>'{stock,state}' AS state FROM orders WHERE id = $1`, [id])
  expect(rows).toEqual([{ state: 'allocated' }])
  await act(world.admin, held, 'cancel')
  const after = await world.sql(`SELECT hidden#>>'{stock,state}' AS state FROM orders WHERE id = $1`, [id])
  expect(after.rows).toEqual([{ state: 'none' }])
})

test('an order is paid with Stripe and by hand', async () => {
  await world.admin.put('/v2/gateways/manual', { data: { enabled: true, shoppers_may_pay: true } })
  const id = await newOrder()
  await charged(world.shopper, id, { amount: 400 })
  await paid(world.shopper, id)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test('a gateway that is disabled still refunds, and one without a key says so', async () => {
  const id = await newOrder()
  const transaction = await charged(world.shopper, id)
  const path = '/v2/gateways/stripe_payment_intents'
  await world.admin.put(path, { data: { enabled: false } })
  expect((await charge(world.shopper, await newOrder())).status).toBe(422)
  expect((await act(world.admin, transaction, 'refund', { amount: 1 })).body.data.refunded_amount).toBe(1)
  await world.admin.put(path, { data: { login: null } })
  const refused = await act(world.admin, transaction, 'refund', { amount: 1 })
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    422,
    `The gateway stripe_payment_intents cannot pay without login. A merchant sets it with PUT ${path}.`,
  ])
  await world.admin.put(path, { data: { enabled: true, login: double.key } })
  expect((await act(world.admin, transaction, 'refund', { amount: 1 })).status).toBe(200)
})
