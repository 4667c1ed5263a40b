import type Stripe from 'stripe'
import type { Outcome, Reason, Report } from '../payments/index.ts'
import { storedText } from './stored-text.ts'

/** What has become of the money of an intent. */
function reportsOf(intent: Stripe.PaymentIntent): readonly Report[] {
  if (intent.status === 'canceled') return [{ is: 'cancelled' }]
  if (intent.status === 'requires_capture') return [{ is: 'authorized' }]
  if (intent.status !== 'succeeded') return []
  const { latest_charge: charge } = intent
  const refunded = typeof charge === 'object' ? (charge?.amount_refunded ?? 0) : 0
  const paid: Report = { is: 'paid', amount: intent.amount_received }
  return refunded > 0 ? [paid, { is: 'refunded', amount: refunded }] : [paid]
}

/** How an intent stands, in the words of payments. */
export function outcomeOf(intent: Stripe.PaymentIntent): Outcome {
  const { id, status, client_secret: secret } = intent
  const how = { detailedStatus: status, cancellationReason: intent.cancellation_reason ?? undefined }
  const failure = failureOf(intent)
  // A declined intent is cancelled, so that nobody can pay it later.
  if (status === 'canceled' && failure) return { ...failedOutcome(id, failure), ...how }
  return {
    reports: reportsOf(intent),
    ...{ reference: id, ...how, waitsForShopper: waitsForShopper(intent) },
    ...(failure && { failure }),
    ...(typeof secret === 'string' && { browser: { token: id, secret, status } }),
  }
}

const isAtScreen = ['redirect_to_url', 'use_stripe_sdk']

/** Other actions show a voucher or an account to pay into, for days. */
const waitsForShopper = ({ status, next_action: next }: Stripe.PaymentIntent): boolean =>
  status === 'requires_payment_method' ||
  status === 'requires_confirmation' ||
  (status === 'requires_action' && isAtScreen.includes(next?.type ?? ''))

/** Why the last way of paying was declined, unless another one has succeeded since. */
function failureOf({ status, last_payment_error: error }: Stripe.PaymentIntent): Outcome['failure'] {
  if (!error || (status !== 'canceled' && status !== 'requires_payment_method')) return undefined
  return {
    code: storedText(error.decline_code) ?? storedText(error.code) ?? storedText(error.type) ?? 'declined',
    reason: storedText(error.message) ?? 'The payment failed.',
  }
}

/** A payment that Stripe has refused for good. */
export const failedOutcome = (reference: string | undefined, failure: Reason): Outcome => ({
  ...{ reports: [{ is: 'failed' }], reference, failure },
})

/** A call that Stripe has refused, and how the payment stands. */
export const refusedOutcome = (now: Outcome, refusal: Reason): Outcome => ({ ...now, refusal })
