import type Stripe from 'stripe'
import type { Charge } from '../rules/gateway.ts'

type Options = Charge['options']

const textIn = (options: Options, name: string): string | undefined => {
  const value = options?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Where the bank of the shopper sends them back to. */
export const returnUrlIn = (options: Options): string | undefined => textIn(options, 'return_url')

/** Whether the options leave the ways of paying to the merchant's settings at Stripe; undefined if they do not say. */
export function isAutomatic(options: Options): boolean | undefined {
  const { enabled } = (options?.automatic_payment_methods ?? {}) as { readonly enabled?: unknown }
  return typeof enabled === 'boolean' ? enabled : undefined
}

/** What Stripe is told about a new payment. */
export function intentParams(
  charge: Charge,
  capture: 'automatic' | 'manual',
): Stripe.PaymentIntentCreateParams {
  const { amount, currency, metadata, options } = charge
  const [customer, email] = [textIn(options, 'customer'), textIn(options, 'receipt_email')]
  return {
    ...{ amount, currency: currency.toLowerCase(), capture_method: capture },
    metadata: { ...metadata, ...(email !== undefined && { email }) },
    ...wayOfPaying(charge),
    ...(customer !== undefined && { customer }),
    ...(email !== undefined && { receipt_email: email }),
  }
}

function wayOfPaying({
  payment,
  paymentMethodTypes,
  options,
}: Charge): Partial<Stripe.PaymentIntentCreateParams> {
  const automatic = isAutomatic(options) ?? (payment === undefined && !paymentMethodTypes)
  // A confirm by the server needs an address to return to, unless no way of paying leads the shopper elsewhere.
  const stays = payment !== undefined && returnUrlIn(options) === undefined
  return {
    ...(automatic
      ? { automatic_payment_methods: { enabled: true, ...(stays && { allow_redirects: 'never' }) } }
      : { payment_method_types: [...(paymentMethodTypes ?? ['card'])] }),
    ...(payment !== undefined && methodOf(payment)),
  }
}

type PaymentMethodData = Stripe.PaymentIntentCreateParams.PaymentMethodData

/** Older storefronts send the token of a card, newer ones the id of a payment method. */
const methodOf = (payment: string): Partial<Stripe.PaymentIntentCreateParams> =>
  payment.startsWith('tok_')
    ? { payment_method_data: { type: 'card', card: { token: payment } } as PaymentMethodData }
    : { payment_method: payment }
