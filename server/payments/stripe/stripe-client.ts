import type Stripe from 'stripe'
import type { Reason } from '../rules/reason.ts'
import { storedText } from './stored-text.ts'
import { stripeHttp } from './stripe-http.ts'

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

/** The official library. It is loaded when it is first used, because that takes 0.3 s and 36 MB of memory. */
export const stripeLibrary = async (): Promise<typeof Stripe> => (await import('stripe')).default

/** A client of the official library. It repeats requests with their keys. */
export async function openStripe(access: StripeAccess): Promise<Stripe> {
  const { key, account, url, timeoutMs, retries } = access
  const { protocol, hostname, port } = new URL(url)
  const Library = await stripeLibrary()
  return new Library(key, {
    ...{ host: hostname, protocol: protocol === 'http:' ? 'http' : 'https', ...(port && { port }) },
    ...{ timeout: timeoutMs, maxNetworkRetries: retries, telemetry: false },
    httpClient: stripeHttp,
    ...(account !== undefined && { stripeAccount: account }),
  })
}

/** What errors of the library say about a response. One without a response has no status. */
interface StripeFault {
  readonly statusCode?: number
  readonly code?: string
  readonly decline_code?: string
  readonly type?: string
  /** The type as Stripe sends it. */
  readonly rawType?: string
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Why Stripe refused a request; undefined where the outcome is unknown: no response, or a fault of Stripe. */
export function refusalOf(error: unknown): Reason | undefined {
  if (!(error instanceof Error)) return undefined
  const { statusCode = 500, code, decline_code: decline, rawType, type, message } = error as StripeFault
  // 409 and 429: another request has the key, or there are too many. Neither has been carried out.
  if (statusCode >= 500 || statusCode === 409 || statusCode === 429) return undefined
  return {
    code: storedText(decline) ?? storedText(code) ?? storedText(type) ?? 'refused',
    reason: storedText(message) ?? 'Stripe has refused the request.',
    // All but errors of cards tell about the merchant's account: its keys, its mode, its ways of paying.
    ...(rawType !== 'card_error' && { isForMerchant: true }),
  }
}

/** Whether Stripe has answered that it failed. It repeats that for the key of the request. */
export const isFault = (error: unknown): boolean =>
  error instanceof Error && ((error as StripeFault).statusCode ?? 0) >= 500

/** Whether the response is the stored one of an earlier request with the key, so that this request did nothing. */
export const isReplayed = (error: unknown): boolean =>
  error instanceof Error && (error as StripeFault).headers?.['idempotent-replayed'] === 'true'
