import type Stripe from 'stripe'
import type { Report } from '../../orders/index.ts'
import type { Outcome } from '../rules/gateway.ts'
import type { Reason } from '../rules/reason.ts'
import type { RefundSums } from './refunds-of-intent.ts'
import { storedText } from './stored-text.ts'

/** How much the charge of an intent says is refunded. */
export const refundedIn = ({ latest_charge: charge }: Stripe.PaymentIntent): number =>
  typeof charge === 'object' && charge ? charge.amount_refunded : 0

/** What has become of the money of an intent. */
function reportsOf(intent: Stripe.PaymentIntent, sums: RefundSums | undefined): readonly Report[] {
  if (intent.status === 'canceled') return [{ is: 'cancelled' }]
  if (intent.status === 'requires_capture') return [{ is: 'authorized' }]
  if (intent.status !== 'succeeded') return []
  const paid: Report = { is: 'paid', amount: intent.amount_received }
  // The charge may still count a refund that has failed since.
  const { refunded, failed } = sums ?? { refunded: 0, failed: 0 }
  const amount = Math.min(refundedIn(intent), refunded)
  if (amount === 0 && failed === 0) return [paid]
  return [paid, { is: 'refunded', amount, ...(failed > 0 && { failed }) }]
}

/** How an intent stands, in the words of payments. `sums` are those of its refunds, if it has some. */
export function outcomeOf(intent: Stripe.PaymentIntent, sums?: RefundSums): Outcome {
  const { id, status, client_secret: secret } = intent
  const how = { detailedStatus: status, cancellationReason: intent.cancellation_reason ?? undefined }
  const failure = failureOf(intent)
  // A declined intent is cancelled, so that nobody can pay it later.
  if (status === 'canceled' && failure) return { ...failedOutcome(id, failure), ...how }
  return {
    reports: reportsOf(intent, sums),
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
