import { isReference } from './check-intent.ts'
import { stripeLibrary } from './stripe-client.ts'

/** How old a webhook may be: a recorded one must not be sent again later. */
const ageMaxS = 300

/** What a webhook says: which intent has changed, if it is about one. */
export interface HeardWebhook {
  readonly intent: string | undefined
}

/**
 * Reads a webhook; undefined if Stripe did not sign it with the secret, or long ago. A webhook only says that an intent
 * has changed: its order among others does not matter, because the reader asks Stripe how the intent stands.
 */
export async function readWebhook(
  body: string,
  signature: string,
  secret: string,
  now: Date,
): Promise<HeardWebhook | undefined> {
  const { webhooks } = await stripeLibrary()
  let event: Event | null
  try {
    event = webhooks.constructEvent(
      body,
      signature,
      secret,
      ageMaxS,
      undefined,
      now.getTime(),
    ) as Event | null
  } catch {
    return undefined
  }
  return { intent: intentIn(event?.data?.object ?? {}) }
}

interface Event {
  readonly data?: { readonly object?: EventObject }
}

interface EventObject {
  readonly object?: unknown
  readonly id?: unknown
  readonly payment_intent?: unknown
}

function intentIn({ object, id, payment_intent: intent }: EventObject): string | undefined {
  const found = object === 'payment_intent' ? id : intent
  return isReference(found) ? found : undefined
}
