import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Reply } from '../../support/client.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble, Webhook } from '../../support/stripe-double/index.ts'
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
  const { status } = await world.admin.put('/v2/gateways/stripe_payment_intents', {
    data: { webhook_secret: secret },
  })
  expect(status).toBe(200)
})
afterAll(() => shop.close())
beforeEach(() => {
  double.forgetEvents()
})

const address = (storeId = world.storeId) => `/webhooks/stripe/stores/${storeId}`
const send = ({ body, signature }: Webhook, to = address()): Promise<Reply> =>
  world.nobody.send('POST', to, { body, headers: { 'stripe-signature': signature } })

/** Sends all webhooks of Stripe so far. */
async function sendAll(order: (hooks: readonly Webhook[]) => readonly Webhook[] = (hooks) => hooks) {
  for (const hook of order(double.webhooks(secret))) expect((await send(hook)).status).toBe(200)
}

const jobsWaiting = async () =>
  (
    await world.sql(
      `SELECT count(*)::int AS n FROM graphile_worker.jobs
       WHERE task_identifier = 'transactions:follow-payment' AND run_at <= now()`,
    )
  ).rows[0].n
const allHeard = () => until(async () => ((await jobsWaiting()) === 0 ? true : undefined))

const challenge = async (data: object = {}): Promise<Any> => {
  const { id } = await orderOf(world.shopper, 1000)
  return charged(world.shopper, id, { payment: cards.challenges, ...data })
}
const orderIdOf = (transaction: Any): string => transaction.relationships.order.data.id
const stored = async (transaction: Any): Promise<Any> =>
  (await transactionsOf(world.admin, orderIdOf(transaction)))[0]

test('a webhook records what the shopper has done in the browser', async () => {
  const pending = await challenge()
  double.authenticate(pending.reference, true)
  await sendAll()
  await until(async () => ((await stored(pending)).status === 'complete' ? true : undefined))
  expect(await moneyOf(world.admin, orderIdOf(pending))).toEqual(['paid', 'complete', 1000, 0, 0])
})

test.each([
  ['twice', (hooks: readonly Webhook[]) => [...hooks, ...hooks]],
  ['in the reverse order', (hooks: readonly Webhook[]) => hooks.toReversed()],
])('webhooks that come %s lead to the same transaction', async (_, order) => {
  const pending = await challenge({ method: 'authorize' })
  double.authenticate(pending.reference, true)
  await sendAll(order)
  await until(async () => ((await stored(pending)).status === 'complete' ? true : undefined))
  await allHeard()
  await act(world.admin, pending, 'capture')
  await act(world.admin, pending, 'refund', { amount: 250 })
  await sendAll(order)
  await allHeard()
  expect(await stored(pending)).toMatchObject({ transaction_type: 'capture', refunded_amount: 250 })
})

test('a webhook about a payment that has failed or was refunded at Stripe is recorded too', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await charged(world.shopper, id, { method: 'authorize' })
  double.captureInDashboard(held.reference, 1000)
  await sendAll()
  await until(async () => ((await stored(held)).transaction_type === 'capture' ? true : undefined))
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test('a webhook without a right signature has no effect', async () => {
  const pending = await challenge()
  double.authenticate(pending.reference, true)
  const hook = double.webhooks(secret).at(-1) as Webhook
  const stranger = double.webhooks('whsec_another secret').at(-1) as Webhook
  const old = double.webhooks(secret, new Date(Date.now() - 301_000)).at(-1) as Webhook
  const wrong: readonly Webhook[] = [
    { ...hook, body: hook.body.replace('payment_intent', 'payment_intents') },
    { ...hook, signature: '' },
    { ...hook, signature: 't=1,v1=0' },
    { ...hook, signature: `${',v1=0'.repeat(1000)}` },
    { body: '', signature: hook.signature },
    { body: '[]', signature: hook.signature },
    ...[stranger, old],
  ]
  for (const one of wrong) {
    const { status, body } = await send(one)
    expect([status, body.errors[0].source]).toEqual([400, 'Stripe-Signature'])
  }
  expect([await jobsWaiting(), (await stored(pending)).status]).toEqual([0, 'pending'])
  // The other store has no secret, and no store has this id.
  const other = (await world.other.get('/v2/stores')).body.data[0].id
  expect((await send(hook, address(other))).status).toBe(400)
  for (const id of [randomUUID(), 'none']) expect((await send(hook, address(id))).status).toBe(404)
})

test('a webhook about something else is accepted and changes nothing', async () => {
  const events = [
    { type: 'customer.created', data: { object: { object: 'customer', id: 'cus_1' } } },
    { type: 'payment_intent.succeeded', data: { object: { object: 'payment_intent', id: 'pi_of_someone' } } },
    { type: 'payment_intent.succeeded', data: { object: { object: 'payment_intent', id: ['x'] } } },
    ...[{ type: 'new' }, { data: null }, {}],
  ]
  for (const event of events) {
    const { status, body } = await send(double.sign(event, secret))
    expect([status, body]).toEqual([200, { received: true }])
  }
  expect(await jobsWaiting()).toBe(0)
})

test('the secret of the webhooks is shown only to the request that sends it', async () => {
  const shown = (await world.admin.get('/v2/gateways/stripe_payment_intents')).body.data
  expect([shown.webhook_secret, shown.meta.secrets]).toEqual([undefined, ['login', 'webhook_secret']])
  const { body } = await world.admin.put('/v2/gateways/stripe', { data: { webhook_secret: 'whsec_2' } })
  expect(body.data.webhook_secret).toBe('whsec_2')
  await world.admin.put('/v2/gateways/stripe', { data: { webhook_secret: null } })
})

test('a payment of which nobody tells is read by a job', async () => {
  const pending = await challenge()
  double.authenticate(pending.reference, true)
  const { rows } = await world.sql(
    `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE '%payment ' || $1
     RETURNING round(extract(epoch FROM run_at - created_at)) AS s`,
    [pending.id],
  )
  expect(rows.length).toBe(1)
  await until(async () => ((await stored(pending)).status === 'complete' ? true : undefined))
})

test('webhooks and confirms at once settle once', async () => {
  const pending = await challenge()
  double.authenticate(pending.reference, true)
  const hooks = double.webhooks(secret)
  const replies = await Promise.all([
    ...hooks.map((hook) => send(hook)),
    ...[1, 2, 3].map(() => act(world.shopper, pending, 'confirm')),
  ])
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  await allHeard()
  expect(await moneyOf(world.admin, orderIdOf(pending))).toEqual(['paid', 'complete', 1000, 0, 0])
  const { rows } = await world.sql('SELECT version FROM order_transactions WHERE id = $1', [pending.id])
  // Stored, known to Stripe, complete.
  expect(rows).toEqual([{ version: 2 }])
})

test('a gateway of a connected account pays with a key of its own', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const gateway = 'elastic_path_payments_stripe'
  const path = `/v2/gateways/${gateway}`
  await world.admin.put(path, { data: { enabled: true, stripe_account: 'acct_1' } })
  const refused = await charge(world.shopper, id, { gateway })
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    422,
    `The gateway ${gateway} cannot pay without login. A merchant sets it with PUT ${path}.`,
  ])
  await world.admin.put(path, { data: { login: double.key } })
  const transaction = await charged(world.shopper, id, { gateway })
  expect([transaction.gateway, transaction.status]).toEqual([gateway, 'complete'])
})
