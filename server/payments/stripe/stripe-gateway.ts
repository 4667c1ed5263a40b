import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { paymentMethods } from '../../orders/index.ts'
import type { CancellationReason, Charge, Gateway, GatewayCall, Outcome } from '../rules/gateway.ts'
import { mustBeIntent } from './check-intent.ts'
import { currencyMismatch } from './decimal-places.ts'
import { intentParams, returnUrlIn } from './intent-params.ts'
import { failedOutcome, outcomeOf, refundedIn, refusedOutcome } from './outcome-of.ts'
import { refundAt } from './refund-at.ts'
import { sumRefunds } from './refunds-of-intent.ts'
import { isFault, openStripe, refusalOf, type StripeAccess } from './stripe-client.ts'

/**
 * Payments by payment intents of Stripe. An intent is paid at most once, so it is created without a payment first and
 * then confirmed. Whatever becomes of a request, the intent says what has happened.
 */
export function stripeGateway(access: StripeAccess): Gateway {
  let opened: Promise<Stripe> | undefined
  const stripe = (): Promise<Stripe> => (opened ??= openStripe(access))

  const read = async (reference: string): Promise<Stripe.PaymentIntent> =>
    mustBeIntent(
      await (await stripe()).paymentIntents.retrieve(reference, { expand: ['latest_charge'] }),
      reference,
    )
  /** `hadRefunds`: the intent has had refunds, of which it may say nothing any more. */
  const readOutcome = async (reference: string, hadRefunds = false): Promise<Outcome> => {
    const intent = await read(reference)
    const isPaid = intent.status === 'succeeded'
    if (!isPaid || !(hadRefunds || refundedIn(intent) > 0)) return outcomeOf(intent)
    return outcomeOf(intent, await sumRefunds((await stripe()).refunds, reference))
  }

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
      const refusal = refusalOf(error)
      const now = await readAfter(reference, refusal !== undefined)
      if (now && isDone(now)) return now
      if (refusal) return refusedOutcome(now ?? { reports: [], reference }, refusal)
      if (!others.length) throw error
      return settle(reference, others, call, isDone)
    }
    return readOutcome(reference)
  }

  /** How the intent stands; undefined where Stripe refuses the merchant's key after it has refused a call. */
  const readAfter = (reference: string, isRefused: boolean): Promise<Outcome | undefined> =>
    readOutcome(reference).catch((error: unknown) => {
      if (isRefused && refusalOf(error)) return undefined
      throw error
    })

  const twice = (key: string): readonly string[] => [key, `${key}:${randomUUID()}`]

  const start =
    (capture: 'automatic' | 'manual') =>
    async (charge: Charge, via: GatewayCall): Promise<Outcome> => {
      const mismatch = currencyMismatch(charge.currency, charge.decimalPlaces)
      if (mismatch !== undefined) {
        const failure = { code: 'currency_mismatch', reason: mismatch, isForMerchant: true } as const
        return failedOutcome(undefined, failure)
      }
      const isSetup = charge.method.endsWith('_setup')
      if (via.reference !== undefined) {
        return isSetup ? readOutcome(via.reference) : confirm(via.reference, charge, via.key)
      }
      let intent: Stripe.PaymentIntent
      try {
        intent = await create(intentParams(charge, capture), via.key)
      } catch (error) {
        const refusal = refusalOf(error)
        if (!refusal) throw error
        return failedOutcome(undefined, refusal)
      }
      // From here on, only this intent is paid, whatever becomes of this process.
      await via.keep?.(intent.id)
      if (intent.status !== 'requires_confirmation' || isSetup) return outcomeOf(intent)
      return confirm(intent.id, charge, via.key)
    }

  /** Creates an intent. A second one after a fault does no harm, since no money moves before it is confirmed. */
  async function create(
    params: Stripe.PaymentIntentCreateParams,
    key: string,
  ): Promise<Stripe.PaymentIntent> {
    const { paymentIntents } = await stripe()
    try {
      return mustBeIntent(await paymentIntents.create(params, { idempotencyKey: key }))
    } catch (error) {
      if (!isFault(error)) throw error
      return mustBeIntent(await paymentIntents.create(params, { idempotencyKey: `${key}:${randomUUID()}` }))
    }
  }

  async function confirm(reference: string, { options }: Charge, key: string): Promise<Outcome> {
    const returnUrl = returnUrlIn(options)
    const params = returnUrl === undefined ? {} : { return_url: returnUrl }
    const isDecided = ({ reports, browser }: Outcome) =>
      reports.length > 0 || browser?.status === 'requires_action' || browser?.status === 'processing'
    const outcome = await settle(
      reference,
      twice(`${key}:confirm`),
      async (idempotencyKey) =>
        (await stripe()).paymentIntents.confirm(reference, params, { idempotencyKey }),
      isDecided,
    )
    // After a decline in an earlier run, the intent says why, and the refusal only that it cannot be confirmed.
    const failure = outcome.failure ?? outcome.refusal
    if (!failure) return outcome
    // A shopper's browser could confirm the intent again, and pay what has failed here.
    const after = await cancel(reference, `${key}:cancel`)
    return after.reports[0]?.is === 'cancelled' ? failedOutcome(reference, failure) : after
  }

  const cancel = (reference: string, key: string, reason?: CancellationReason): Promise<Outcome> =>
    settle(
      reference,
      twice(key),
      async (idempotencyKey) =>
        (await stripe()).paymentIntents.cancel(
          reference,
          reason === undefined ? {} : { cancellation_reason: reason },
          { idempotencyKey },
        ),
      ({ reports }) => reports[0]?.is === 'cancelled' || reports[0]?.is === 'failed',
    )

  return {
    methods: paymentMethods,
    purchase: start('automatic'),
    authorize: start('manual'),
    read: ({ reference, refundedAmount }) => readOutcome(reference, refundedAmount > 0),
    cancel: ({ reference }, { key }, reason) => cancel(reference, key, reason),
    reprice: (reference, { amount, currency }, { key }) =>
      settle(
        reference,
        twice(key),
        async (idempotencyKey) =>
          (await stripe()).paymentIntents.update(
            reference,
            { amount, currency: currency.toLowerCase() },
            { idempotencyKey },
          ),
        ({ reports }) => reports.length > 0,
      ),
    // More may be held than the order owed.
    capture: ({ reference, amount }, { key }) =>
      settle(
        reference,
        twice(key),
        async (idempotencyKey) =>
          (await stripe()).paymentIntents.capture(
            reference,
            { amount_to_capture: amount },
            { idempotencyKey },
          ),
        // A part that the dashboard has captured is not what was asked for.
        ({ reports: [now] }) => now?.is === 'paid' && (now.amount ?? amount) >= amount,
      ),
    refund: (receipt, refundedAmount, via) =>
      refundAt({ stripe, readOutcome: (of) => readOutcome(of, true) }, receipt, refundedAmount, via),
  }
}
