import type Stripe from 'stripe'
import { stripeLibrary } from './stripe-client.ts'

/** How old a webhook may be: a recorded one must not be sent again later. */
const ageMaxS = 300

/**
 * The intent that a webhook is about; undefined if Stripe did not sign it with the secret, or it is about something
 * else. A webhook only says that an intent has changed: its order among others does not matter, because the reader
 * asks Stripe how the intent stands.
 */
export async function intentOfWebhook(
  body: string,
  signature: string,
  secret: string,
  now: Date,
): Promise<string | undefined> {
  const { webhooks } = await stripeLibrary()
  let event: Stripe.Event
  try {
    event = webhooks.constructEvent(body, signature, secret, ageMaxS, undefined, now.getTime())
  } catch {
    return undefined
  }
  const object = event.data.object as {
    readonly object?: string
    readonly id?: string
    readonly payment_intent?: unknown
  }
  if (object.object === 'payment_intent') return object.id
  return typeof object.payment_intent === 'string' ? object.payment_intent : undefined
}
