import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway, Outcome } from '../../../server/payments/rules/gateway.ts'
import { type Fault, StripeDouble } from '../../support/stripe-double/index.ts'
import { charge, declines, gatewayAt, intentOf, pays, receipt, via } from './charges.ts'

/** Requests and responses that are lost, and calls that Stripe fails at. */

let double: StripeDouble
let gateway: Gateway
beforeAll(async () => {
  double = await StripeDouble.open()
  gateway = gatewayAt(double)
})
afterAll(() => double.close())

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
