import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterReports, newTransaction, type Transaction } from '../../../server/orders/index.ts'
import type { Gateway, Outcome } from '../../../server/payments/rules/gateway.ts'
import { readWebhook } from '../../../server/payments/stripe/read-webhook.ts'
import { stripeGateway } from '../../../server/payments/stripe/stripe-gateway.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'

const secret = 'whsec_a secret that only Stripe and the merchant know'
const now = new Date('2026-07-01T12:00:00Z')

let double: StripeDouble
let gateway: Gateway
let outcome: Outcome
beforeAll(async () => {
  double = await StripeDouble.open()
  gateway = stripeGateway({ key: double.key, url: double.url, timeoutMs: 2000, retries: 0 })
  const charge = {
    ...({
      method: 'purchase',
      amount: 1000,
      currency: 'USD',
      decimalPlaces: 2,
      metadata: { order_id: randomUUID() },
    } as const),
    payment: 'pm_card_threeDSecure2Required',
  }
  outcome = await gateway.purchase(charge, { key: randomUUID() })
  double.authenticate(outcome.reference ?? '', true)
})
afterAll(() => double.close())

const hear = async (body: string, signature: string, at = now) =>
  (await readWebhook(body, signature, secret, at))?.intent

test('a signed webhook names its intent', async () => {
  const hooks = double.webhooks(secret, now)
  expect(hooks.length).toBeGreaterThan(2)
  for (const { body, signature } of hooks) expect(await hear(body, signature)).toBe(outcome.reference)
})

test('a webhook that Stripe did not sign, or long ago, is nothing', async () => {
  const [hook] = double.webhooks(secret, now)
  const [stranger] = double.webhooks('whsec_another secret', now)
  if (!hook || !stranger) throw new Error('there are webhooks')
  expect(await hear(hook.body.replace('1000', '1'), hook.signature)).toBe(undefined)
  expect(await hear(stranger.body, stranger.signature)).toBe(undefined)
  expect(await hear(hook.body, hook.signature, new Date(now.getTime() + 301_000))).toBe(undefined)
  for (const signature of ['', 't=1', 'v1=0', hook.signature.slice(0, -1)]) {
    expect(await hear(hook.body, signature)).toBe(undefined)
  }
  expect(await hear('not JSON', hook.signature)).toBe(undefined)
})

test('a signed webhook that names no intent changes nothing', async () => {
  const objects = [null, 5, 'pi_1', {}, { object: 'payment_intent', id: 5 }]
  const named = { object: 'payment_intent', id: 'pi_1\0' }
  for (const event of [
    null,
    5,
    [],
    { data: null },
    ...[...objects, named].map((object) => ({ data: { object } })),
  ]) {
    const { body, signature } = double.sign(event as object, secret, now)
    expect(await readWebhook(body, signature, secret, now)).toEqual({ intent: undefined })
  }
})

test('webhooks in any order, and twice, lead to the same transaction', async () => {
  const hooks = double.webhooks(secret, now)
  const orders = [hooks, hooks.toReversed(), [...hooks, ...hooks], [...hooks.toReversed(), ...hooks]]
  for (const order of orders) {
    let transaction: Transaction = newTransaction('purchase', 1000)
    for (const { body, signature } of order) {
      const reference = (await hear(body, signature)) ?? ''
      const { reports } = await gateway.read({ reference, amount: 1000, refundedAmount: 0 })
      transaction = afterReports(transaction, reports)
    }
    expect(transaction).toEqual({ type: 'purchase', status: 'complete', amount: 1000, refundedAmount: 0 })
  }
})
