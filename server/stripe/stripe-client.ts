import Stripe from 'stripe'

/** A merchant's access to Stripe. */
export interface StripeAccess {
  /** The secret key. */
  readonly key: string
  /** The connected account that payments are for, if they are not for that of the key. */
  readonly account?: string
  /** The address of Stripe's API. */
  readonly url: string
  readonly timeoutMs: number
  /** How often the library repeats a request that got no response. */
  readonly retries: number
}

/** A client of the official library. It repeats requests with their keys. */
export function stripeClient({ key, account, url, timeoutMs, retries }: StripeAccess): Stripe {
  const { protocol, hostname, port } = new URL(url)
  return new Stripe(key, {
    ...{ host: hostname, protocol: protocol === 'http:' ? 'http' : 'https', ...(port && { port }) },
    ...{ timeout: timeoutMs, maxNetworkRetries: retries, telemetry: false },
    ...(account !== undefined && { stripeAccount: account }),
  })
}

/** Why Stripe refused a request; undefined where the outcome is unknown: no response, or a fault of Stripe. */
export function refusalOf(error: unknown): { readonly code: string; readonly reason: string } | undefined {
  if (!(error instanceof Stripe.errors.StripeError)) return undefined
  const { statusCode = 500, code, decline_code: decline, type, message } = error
  // 409 and 429: another request has the key, or there are too many. Neither has been carried out.
  if (statusCode >= 500 || statusCode === 409 || statusCode === 429) return undefined
  return { code: decline ?? code ?? type, reason: message }
}

/** Whether Stripe has no such object, or the intent is in a state that does not allow the call. */
export const isUnexpectedState = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError &&
  ['payment_intent_unexpected_state', 'charge_already_refunded', 'charge_already_captured'].includes(
    error.code ?? '',
  )
