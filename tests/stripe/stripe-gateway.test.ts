import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  afterReports,
  type Charge,
  type Gateway,
  newTransaction,
  type Outcome,
  type PaymentMethod,
} from '../../server/payments/index.ts'
import { stripeGateway } from '../../server/stripe/index.ts'
import { type Fault, StripeDouble } from '../support/stripe-double/index.ts'

const gatewayAt = ({ key, url }: StripeDouble, timeoutMs = 2000, retries = 0) =>
  stripeGateway({ key, url, timeoutMs, retries })

let double: StripeDouble
let gateway: Gateway
beforeAll(async () => {
  double = await StripeDouble.open()
  gateway = gatewayAt(double)
})
afterAll(() => double.close())

const via = () => ({ key: randomUUID() })
const charge = (method: PaymentMethod, payment?: string, more: Partial<Charge> = {}): Charge => ({
  ...{
    method,
    amount: 1000,
    currency: 'USD',
    decimalPlaces: 2,
    metadata: { order_id: randomUUID() },
    payment,
  },
  ...more,
})
const unexpected = 'payment_intent_unexpected_state'
const pays = 'pm_card_visa'
const declines = 'pm_card_chargeDeclined'
const challenges = 'pm_card_threeDSecure2Required'

const receipt = ({ reference = '' }: Outcome, refundedAmount = 0) => ({
  reference,
  amount: 1000,
  refundedAmount,
})
const intentOf = ({ reference = '' }: Outcome, at = double) => at.intents.get(reference)

test('a purchase without a challenge is paid, and the intent knows its order', async () => {
  const of = charge('purchase', pays, { options: { receipt_email: 'ada@example.com' } })
  const outcome = await gateway.purchase(of, via())
  expect(outcome.reports).toEqual([{ is: 'paid', amount: 1000 }])
  expect(intentOf(outcome)).toMatchObject({
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
  expect(intentOf(outcome)?.status).toBe('canceled')
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
    ...{ type: 'refund', status: 'complete', amount: 1000, refundedAmount: 1000 },
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
    expect([reports, refusal?.code]).toEqual([[{ is: 'paid', amount: 1000 }], 'expired_or_canceled_card'])
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

describe('faults', () => {
  const words = ['response lost', 'request lost', 'error after', 'error before'] as const
  const faults: Fault[] = ['create', 'confirm', 'capture', 'cancel', 'refund', 'read'].flatMap((at) =>
    words.flatMap((is) => [1, 2, 5].map((times) => ({ at, is, times }))),
  )

  /** Calls until the outcome is known, with the same key, as a job does. */
  async function insist(call: () => Promise<Outcome>): Promise<Outcome> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await call()
      } catch (error) {
        if (attempts === 8) throw error
      }
    }
  }

  /** Runs with a Stripe of its own: after a lost response the library pauses, so tests of faults run side by side. */
  const apart =
    <T>(run: (double: StripeDouble, value: T) => Promise<void>) =>
    async (value: T) => {
      const own = await StripeDouble.open()
      try {
        await run(own, value)
      } finally {
        await own.close()
      }
    }

  /**
   * Stripe keeps a fault for the only key that a refund may have, since another key could refund twice. It is known
   * that no money moved.
   */
  const staysUnknown = ({ at, is }: Fault) => at === 'refund' && is === 'error before'

  test.concurrent.each(faults)(
    '$is at $at, $times times: money moves once',
    apart(async (double, fault: Fault) => {
      const gateway = gatewayAt(double)
      double.faults = [{ ...fault }]
      const keys = [via(), via(), via(), via()] as const
      const of = charge('authorize', pays)
      const held = await insist(() => gateway.authorize(of, keys[0]))
      expect(held.reports).toEqual([{ is: 'authorized' }])
      const captured = await insist(() => gateway.capture(receipt(held), keys[1]))
      expect(captured.reports).toEqual([{ is: 'paid', amount: 1000 }])
      const declined = charge('purchase', declines)
      const failed = await insist(() => gateway.purchase(declined, keys[2]))
      expect([failed.reports, intentOf(failed, double)?.status]).toEqual([[{ is: 'failed' }], 'canceled'])
      expect(double.received).toBe(1000)
      const refund = insist(() => gateway.refund(receipt(held), 250, keys[3]))
      if (staysUnknown(fault)) await expect(refund).rejects.toThrow()
      else expect((await refund).reports.at(-1)).toEqual({ is: 'refunded', amount: 250 })
      expect(double.received).toBe(staysUnknown(fault) ? 1000 : 750)
    }),
  )

  test.concurrent.each(faults)(
    '$is at $at, $times times: only the intent that is kept is paid',
    apart(async (double, fault: Fault) => {
      const gateway = gatewayAt(double)
      double.faults = [{ ...fault }]
      const of = charge('purchase', pays)
      let reference: string | undefined
      // Each run is another process, and Stripe has forgotten the key of the one before.
      const outcome = await insist(() =>
        gateway.purchase(of, {
          ...via(),
          reference,
          keep: async (kept) => {
            reference = kept
          },
        }),
      )
      expect([outcome.reports, outcome.reference]).toEqual([[{ is: 'paid', amount: 1000 }], reference])
      expect(double.received).toBe(1000)
    }),
  )

  test.each(['create', 'confirm', 'capture', 'refund', 'read'])(
    'a response of %s that never comes does not keep its caller, nor move money twice',
    async (at) => {
      const hasty = gatewayAt(double, 200)
      const before = double.received
      let isFirst = true
      double.onEffect = async (call) => {
        if (call === at && isFirst) {
          isFirst = false
          await sleep(1000)
        }
      }
      const [of, keys] = [charge('authorize', pays), [via(), via(), via()]] as const
      const held = await insist(() => hasty.authorize(of, keys[0]))
      const captured = await insist(() => hasty.capture(receipt(held), keys[1]))
      expect(captured.reports).toEqual([{ is: 'paid', amount: 1000 }])
      const refunded = await insist(() => hasty.refund(receipt(held), 300, keys[2]))
      expect(refunded.reports.at(-1)).toEqual({ is: 'refunded', amount: 300 })
      double.onEffect = () => {}
      expect(double.received - before).toBe(700)
    },
  )

  test('a refund that an earlier run has made is not made again, even after Stripe has forgotten its key', async () => {
    const paid = await gateway.purchase(charge('purchase', pays), via())
    const [before, key] = [double.received, via()]
    for (let run = 0; run < 2; run++) {
      const { reports } = await gateway.refund(receipt(paid), 400, key)
      expect(reports.at(-1)).toEqual({ is: 'refunded', amount: 400 })
      double.forgetKeys()
    }
    expect(double.received - before).toBe(-400)
  })

  test('the library repeats a request whose response is lost', async () => {
    const patient = gatewayAt(double, 2000, 1)
    double.faults = [{ at: 'create', is: 'response lost', times: 1 }]
    const { reports } = await patient.purchase(charge('purchase', pays), via())
    expect(reports).toEqual([{ is: 'paid', amount: 1000 }])
  })
})

describe('a response that is not one of Stripe', () => {
  const wrong: Readonly<Record<string, string>> = {
    ...{ 'no JSON': '<html>', nothing: '', 'a number': '5', 'a text': '"pi_1"', null: 'null' },
    ...{ 'a list': '[]', 'an empty object': '{}' },
    'another intent': '{"id": "pi_other", "status": "succeeded", "amount_received": 1000}',
    'no status': '{"id": "pi_other", "status": {}}',
    'a long body': `{"id": "${'x'.repeat(5_000_000)}"}`,
  }
  for (const [what, body] of Object.entries(wrong)) {
    test(`says nothing about the payment: ${what}`, async () => {
      const { reference = '' } = await gateway.purchase(charge('purchase', pays), via())
      double.faults = [{ at: 'read', is: 'response replaced', body, times: 1 }]
      await expect(gateway.read(receipt({ reference, reports: [] }))).rejects.toThrow()
      expect((await gateway.read(receipt({ reference, reports: [] }))).reports).toEqual([
        { is: 'paid', amount: 1000 },
      ])
    })
  }

  const amounts = [
    { amount_received: -5 },
    { amount_received: 0 },
    { amount_received: 10.5 },
    { amount_received: '1000' },
    { amount_received: null },
    { latest_charge: { amount_refunded: -1 } },
    { latest_charge: { amount_refunded: 0.5 } },
    { latest_charge: { amount_refunded: '500' } },
    { latest_charge: { amount_refunded: 1001 } },
  ]
  for (const more of amounts) {
    test(`says nothing about the payment: ${JSON.stringify(more)}`, async () => {
      const { reference = '' } = await gateway.purchase(charge('purchase', pays), via())
      const body = JSON.stringify({ id: reference, status: 'succeeded', amount_received: 1000, ...more })
      double.faults = [{ at: 'read', is: 'response replaced', body, times: 1 }]
      await expect(gateway.read(receipt({ reference, reports: [] }))).rejects.toThrow('wrong amounts')
    })
  }

  test('makes a payment repeat its request, which charges once', async () => {
    const [of, key] = [charge('purchase', pays), via()]
    double.faults = [{ at: 'create', is: 'response replaced', body: '{}', times: 1 }]
    await expect(gateway.purchase(of, key)).rejects.toThrow('no payment intent')
    expect((await gateway.purchase(of, key)).reports).toEqual([{ is: 'paid', amount: 1000 }])
    expect(double.effectsOf(of.metadata.order_id as string)).toEqual(['confirm'])
  })

  test('ends in time, however slowly it arrives', async () => {
    const dripping = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    })
    await new Promise<void>((done) => dripping.listen(0, '127.0.0.1', done))
    const { port } = dripping.address() as AddressInfo
    const slow = stripeGateway({ key: 'sk', url: `http://127.0.0.1:${port}`, timeoutMs: 300, retries: 0 })
    const beganMs = performance.now()
    await expect(slow.read(receipt({ reference: 'pi_1', reports: [] }))).rejects.toThrow()
    expect(performance.now() - beganMs).toBeLessThan(3_000)
    dripping.closeAllConnections()
    dripping.close()
  })

  test('gives texts that can be stored', async () => {
    const error = { code: 5, message: `No\0 such thing: ${'x'.repeat(2_000)}` }
    double.faults = [
      { at: 'create', is: 'response replaced', body: JSON.stringify({ error }), status: 400, times: 1 },
    ]
    const { failure } = await gateway.purchase(charge('purchase', pays), via())
    expect([failure?.code, failure?.reason.slice(0, 15), failure?.reason.length]).toEqual([
      ...['StripeInvalidRequestError', 'No such thing: ', 1_000],
    ])
  })
})
