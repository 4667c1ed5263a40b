import { afterAll, beforeAll, expect, test } from 'vitest'
import { afterReports, newTransaction } from '../../../server/orders/index.ts'
import type { Charge, Gateway } from '../../../server/payments/rules/gateway.ts'
import { stripeGateway } from '../../../server/payments/stripe/stripe-gateway.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { charge, declines, gatewayAt, intentOf, pays, receipt, via } from './charges.ts'

let double: StripeDouble
let gateway: Gateway
beforeAll(async () => {
  double = await StripeDouble.open()
  gateway = gatewayAt(double)
})
afterAll(() => double.close())

const unexpected = 'payment_intent_unexpected_state'
const challenges = 'pm_card_threeDSecure2Required'

test('a purchase without a challenge is paid, and the intent knows its order', async () => {
  const of = charge('purchase', pays, { options: { receipt_email: 'ada@example.com' } })
  const outcome = await gateway.purchase(of, via())
  expect(outcome.reports).toEqual([{ is: 'paid', amount: 1000 }])
  expect(intentOf(outcome, double)).toMatchObject({
    ...{ status: 'succeeded', amount_received: 1000, currency: 'usd' },
    metadata: { ...of.metadata, email: 'ada@example.com' },
  })
})

test('an authorization holds the money until its capture or its cancellation', async () => {
  const held = await gateway.authorize(charge('authorize', pays), via())
  expect(held.reports).toEqual([{ is: 'authorized' }])
  expect((await gateway.capture(receipt(held), via())).reports).toEqual([{ is: 'paid', amount: 1000 }])
  // A second capture says how the payment stands: what it asks for has happened.
  const again = await gateway.capture(receipt(held), via())
  expect([again.reports, again.refusal]).toEqual([[{ is: 'paid', amount: 1000 }], undefined])
  const other = await gateway.authorize(charge('authorize', pays), via())
  expect((await gateway.cancel?.(receipt(other), via()))?.reports).toEqual([{ is: 'cancelled' }])
  const late = await gateway.capture(receipt(other), via())
  expect([late.reports, late.refusal?.code]).toEqual([[{ is: 'cancelled' }], unexpected])
})

test('what others have done at Stripe meanwhile is reported, and the call is refused', async () => {
  const [expired, captured] = [
    await gateway.authorize(charge('authorize', pays), via()),
    await gateway.authorize(charge('authorize', pays), via()),
  ]
  double.expireHold(expired.reference ?? '')
  double.captureInDashboard(captured.reference ?? '', 1000)
  const capture = await gateway.capture(receipt(expired), via())
  expect([capture.reports, capture.refusal?.code]).toEqual([[{ is: 'cancelled' }], unexpected])
  const cancel = await gateway.cancel?.(receipt(captured), via())
  expect([cancel?.reports, cancel?.refusal?.code]).toEqual([[{ is: 'paid', amount: 1000 }], unexpected])
})

test('a declined card fails with the reason, and nobody can pay the intent later', async () => {
  const key = via()
  const of = charge('purchase', declines)
  const outcome = await gateway.purchase(of, key)
  expect(outcome).toMatchObject({
    reports: [{ is: 'failed' }],
    failure: { code: 'generic_decline', reason: 'Your card was declined.' },
  })
  expect(intentOf(outcome, double)?.status).toBe('canceled')
  expect(await gateway.purchase(of, key)).toEqual(outcome)
})

test('a challenge leaves the payment pending until the shopper has answered it', async () => {
  const outcome = await gateway.purchase(charge('purchase', challenges), via())
  const { reference = '' } = outcome
  expect(outcome).toMatchObject({
    reports: [],
    browser: { token: reference, secret: `${reference}_secret_double`, status: 'requires_action' },
  })
  expect((await gateway.read(receipt(outcome))).reports).toEqual([])
  double.authenticate(reference, true)
  expect((await gateway.read(receipt(outcome))).reports).toEqual([{ is: 'paid', amount: 1000 }])
})

test('a challenge that the shopper fails is a decline, and leaves the intent open', async () => {
  const outcome = await gateway.authorize(charge('authorize', challenges), via())
  double.authenticate(outcome.reference ?? '', false)
  const { reports, browser, failure } = await gateway.read(receipt(outcome))
  expect([reports, browser?.status, failure?.code]).toEqual([
    ...[[], 'requires_payment_method', 'payment_intent_authentication_failure'],
  ])
  const after = await gateway.cancel?.(receipt(outcome), via())
  expect([after?.reports, after?.failure, after?.refusal]).toEqual([[{ is: 'failed' }], failure, undefined])
})

test('a setup waits for the browser', async () => {
  const outcome = await gateway.purchase(charge('purchase_setup'), via())
  expect([outcome.reports, outcome.browser?.status]).toEqual([[], 'requires_payment_method'])
})

test('refunds in parts report what is refunded in all', async () => {
  const paid = await gateway.purchase(charge('purchase', pays), via())
  const first = await gateway.refund(receipt(paid), 300, via())
  expect(first.reports.at(-1)).toEqual({ is: 'refunded', amount: 300 })
  const all = await gateway.refund(receipt(paid, 300), 1000, via())
  expect(all.reports.at(-1)).toEqual({ is: 'refunded', amount: 1000 })
  expect(afterReports(newTransaction('purchase', 1000), all.reports)).toEqual({
    ...{ type: 'refund', status: 'complete', amount: 1000, refundedAmount: 1000, receivedAs: 'purchase' },
  })
  const more = await gateway.refund(receipt(paid, 1000), 1001, via())
  expect([more.reports.at(-1), more.refusal?.code]).toEqual([
    ...[{ is: 'refunded', amount: 1000 }, 'charge_already_refunded'],
  ])
})

test('a refund comes on top of those in the dashboard of Stripe', async () => {
  const paid = await gateway.purchase(charge('purchase', pays), via())
  double.refundInDashboard(paid.reference ?? '', 300)
  const { reports, refusal } = await gateway.refund(receipt(paid), 200, via())
  expect([reports.at(-1), refusal]).toEqual([{ is: 'refunded', amount: 500 }, undefined])
  const more = await gateway.refund(receipt(paid, 500), 1000, via())
  expect(more.reports.at(-1)).toEqual({ is: 'refunded', amount: 1000 })
})

test('a refund of more than the dashboard has left is refused, and what it has refunded is reported', async () => {
  const paid = await gateway.purchase(charge('purchase', pays), via())
  double.refundInDashboard(paid.reference ?? '', 300)
  const { reports, refusal } = await gateway.refund(receipt(paid), 800, via())
  expect([reports.at(-1), refusal?.reason]).toEqual([
    ...[{ is: 'refunded', amount: 300 }, 'Refund amount is greater than unrefunded amount on charge'],
  ])
})

test('a refund that the bank does not take is refused', async () => {
  const paid = await gateway.purchase(charge('purchase', pays), via())
  double.failsRefunds = true
  const key = via()
  const first = await gateway.refund(receipt(paid), 200, key)
  double.failsRefunds = false
  const again = await gateway.refund(receipt(paid), 200, key)
  for (const { reports, refusal } of [first, again]) {
    const failed = { is: 'refunded', amount: 0, failed: 200 }
    expect([reports, refusal?.code]).toEqual([
      ...[[{ is: 'paid', amount: 1000 }, failed], 'expired_or_canceled_card'],
    ])
  }
})

test('a refund that Stripe refuses changes nothing, and says why', async () => {
  const held = await gateway.authorize(charge('authorize', pays), via())
  const { reports, refusal } = await gateway.refund(receipt(held), 100, via())
  expect([reports, refusal?.reason]).toEqual([
    [{ is: 'authorized' }],
    'This PaymentIntent does not have a successful charge to refund.',
  ])
})

test('a part that the merchant captures at Stripe is what was paid', async () => {
  const held = await gateway.authorize(charge('authorize', pays), via())
  double.captureInDashboard(held.reference ?? '', 400)
  const { reports } = await gateway.read(receipt(held))
  expect(afterReports(newTransaction('authorize', 1000), reports)).toMatchObject({
    type: 'capture',
    amount: 400,
  })
})

test('what Stripe refuses fails: a wrong key, a wrong card, a currency of other decimal places', async () => {
  const codeOf = async (of: Charge, by = gateway) => {
    const { reports, failure } = await by.purchase(of, via())
    return [reports, failure?.code]
  }
  const before = double.calls.length
  const failed = [{ is: 'failed' }]
  expect(await codeOf(charge('purchase', pays, { currency: 'JPY' }))).toEqual([failed, 'currency_mismatch'])
  expect(double.calls.length).toBe(before)
  expect(await codeOf(charge('purchase', pays, { currency: 'JPY', decimalPlaces: 0 }))).toEqual([
    [{ is: 'paid', amount: 1000 }],
    undefined,
  ])
  expect(await codeOf(charge('purchase', 'pm_unknown'))).toEqual([failed, 'resource_missing'])
  const other = stripeGateway({ key: 'sk_test_wrong', url: double.url, timeoutMs: 2000, retries: 0 })
  expect((await codeOf(charge('purchase', pays), other))[0]).toEqual(failed)
})
