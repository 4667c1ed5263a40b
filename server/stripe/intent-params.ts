import type Stripe from 'stripe'
import type { Charge } from '../payments/index.ts'

const textIn = (options: Charge['options'], name: string): string | undefined => {
  const value = options?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What Stripe is told about a new payment. */
export function intentParams(
  { amount, currency, orderId, payment, options }: Charge,
  capture: 'automatic' | 'manual',
): Stripe.PaymentIntentCreateParams {
  const [customer, email] = [textIn(options, 'customer'), textIn(options, 'receipt_email')]
  return {
    ...{ amount, currency: currency.toLowerCase(), capture_method: capture },
    metadata: { order_id: orderId, ...(email !== undefined && { email }) },
    ...(payment === undefined
      ? { automatic_payment_methods: { enabled: true } }
      : { payment_method: payment, payment_method_types: ['card'] }),
    ...(customer !== undefined && { customer }),
    ...(email !== undefined && { receipt_email: email }),
  }
}
