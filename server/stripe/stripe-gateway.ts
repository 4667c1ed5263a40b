import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import {
  type Charge,
  type Gateway,
  type Outcome,
  paymentMethods,
  type Receipt,
  type Via,
} from '../payments/index.ts'
import { stripeDecimalPlaces } from './decimal-places.ts'
import { intentParams } from './intent-params.ts'
import { failed, outcomeOf, refused } from './outcome-of.ts'
import { isUnexpectedState, openStripe, refusalOf, type StripeAccess } from './stripe-client.ts'

/**
 * Payments by payment intents of Stripe. An intent is paid at most once, so it is created without a payment first and
 * then confirmed. Whatever becomes of a request, the intent says what has happened.
 */
export function stripeGateway(access: StripeAccess): Gateway {
  let opened: Promise<Stripe> | undefined
  const stripe = (): Promise<Stripe> => (opened ??= openStripe(access))

  const read = async (reference: string): Promise<Stripe.PaymentIntent> =>
    (await stripe()).paymentIntents.retrieve(reference, { expand: ['latest_charge'] })
  const readOutcome = async (reference: string): Promise<Outcome> => outcomeOf(await read(reference))

  /**
   * Runs a call. Where it is refused, or its outcome is unknown, the intent says how it stands. Stripe repeats a fault
   * for the same key. A call that the state of the intent allows only once may have another key for a second try.
   */
  async function settle(
    reference: string,
    [key = '', ...others]: readonly string[],
    call: (key: string) => Promise<unknown>,
    isDone: (now: Outcome) => boolean,
  ): Promise<Outcome> {
    try {
      await call(key)
    } catch (error) {
      const now = await readOutcome(reference)
      if (isDone(now) || isUnexpectedState(error)) return now
      const refusal = refusalOf(error)
      if (refusal) return refused(now, refusal.code, refusal.reason)
      if (!others.length) throw error
      return settle(reference, others, call, isDone)
    }
    return readOutcome(reference)
  }

  const twice = (key: string): readonly string[] => [key, `${key}:${randomUUID()}`]

  const start =
    (capture: 'automatic' | 'manual') =>
    async (charge: Charge, { key }: Via): Promise<Outcome> => {
      const places = stripeDecimalPlaces(charge.currency)
      if (places !== charge.decimalPlaces) {
        const reason = `Stripe counts ${charge.currency} with ${places} decimal places, and the store with ${charge.decimalPlaces}.`
        return failed(undefined, 'currency_mismatch', reason)
      }
      let intent: Stripe.PaymentIntent
      try {
        // One key: with another, a repeated call could pay a second intent.
        intent = await (await stripe()).paymentIntents.create(intentParams(charge, capture), {
          idempotencyKey: key,
        })
      } catch (error) {
        const refusal = refusalOf(error)
        if (!refusal) throw error
        return failed(undefined, refusal.code, refusal.reason)
      }
      if (intent.status !== 'requires_confirmation' || charge.method.endsWith('_setup'))
        return outcomeOf(intent)
      return confirm(intent.id, charge, key)
    }

  async function confirm(reference: string, { options }: Charge, key: string): Promise<Outcome> {
    const { return_url: returnUrl } = options ?? {}
    const params = typeof returnUrl === 'string' ? { return_url: returnUrl } : {}
    const isDecided = ({ reports, browser }: Outcome) =>
      reports.length > 0 || browser?.status === 'requires_action' || browser?.status === 'processing'
    const outcome = await settle(
      reference,
      twice(`${key}:confirm`),
      async (idempotencyKey) =>
        (await stripe()).paymentIntents.confirm(reference, params, { idempotencyKey }),
      isDecided,
    )
    const { failure } = outcome
    if (!failure) return outcome
    // A shopper's browser could confirm the intent again, and pay what has failed here.
    const after = await cancel(reference, `${key}:cancel`)
    return after.reports[0]?.is === 'cancelled' ? failed(reference, failure.code, failure.reason) : after
  }

  const cancel = (reference: string, key: string): Promise<Outcome> =>
    settle(
      reference,
      twice(key),
      async (idempotencyKey) => (await stripe()).paymentIntents.cancel(reference, {}, { idempotencyKey }),
      ({ reports }) => reports[0]?.is === 'cancelled' || reports[0]?.is === 'failed',
    )

  return {
    methods: paymentMethods,
    purchase: start('automatic'),
    authorize: start('manual'),
    read: ({ reference }) => readOutcome(reference),
    cancel: ({ reference }, { key }) => cancel(reference, key),
    capture: ({ reference }, { key }) =>
      settle(
        reference,
        twice(key),
        async (idempotencyKey) => (await stripe()).paymentIntents.capture(reference, {}, { idempotencyKey }),
        ({ reports }) => reports[0]?.is === 'paid',
      ),
    // One key: another would be another refund.
    refund: ({ reference, refundedAmount: before }: Receipt, refundedAmount, { key }) =>
      settle(
        reference,
        [key],
        async (idempotencyKey) =>
          (await stripe()).refunds.create(
            { payment_intent: reference, amount: refundedAmount - before },
            { idempotencyKey },
          ),
        ({ reports }) => reports.some((one) => one.is === 'refunded' && one.amount >= refundedAmount),
      ),
  }
}
