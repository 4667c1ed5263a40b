import type Stripe from 'stripe'

const isAmount = (value: unknown, min: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min

/**
 * Returns what Stripe has sent as a payment intent, and throws if it is none, or another one than the reference. Money
 * is recorded by it, and something between may have answered in Stripe's place.
 */
export function mustBeIntent(intent: Stripe.PaymentIntent, reference?: string): Stripe.PaymentIntent {
  const { id, status, amount_received: received, latest_charge: charge } = intent
  const isIntent = isReference(id) && id === (reference ?? id) && isStatus(status)
  if (!isIntent) throw new Error('Stripe has sent no payment intent, or another one')
  if (status !== 'succeeded') return intent
  const refunded = typeof charge === 'object' && charge ? charge.amount_refunded : 0
  if (!isAmount(received, 1) || !isAmount(refunded, 0) || refunded > received) {
    throw new Error(`Stripe has sent a payment intent with wrong amounts: ${id}`)
  }
  return intent
}

const isStatus = (status: unknown): boolean => typeof status === 'string' && /^[a-z_]{1,64}$/.test(status)

/** Whether a value can be what Stripe calls an intent. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && /^\w{1,255}$/.test(value)
