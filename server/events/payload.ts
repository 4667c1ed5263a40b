/** What an event shows, as JSON. */
export interface Payload {
  /** The object as it was at the event; of a deletion, its type and id. */
  readonly object: string
  /** What belongs to the object, such as the items of an order: an object of lists. */
  readonly included?: string
  /** Webhooks get the object as `data`, with `included` beside it. */
  readonly isWrapped: boolean
}

/** The payload for a webhook: the object, or an envelope with it. */
export const webhookPayload = ({ object, included, isWrapped }: Payload): string =>
  isWrapped ? `{"data":${object}${included === undefined ? '' : `,"included":${included}`}}` : object

/** The `data` for a queue: the object alone, unless something belongs to it. */
export const queueData = ({ object, included }: Payload): string =>
  included === undefined ? object : `{"data":${object},"included":${included}}`

/** The same without what belongs to the object, for queues whose messages are limited. */
export const withoutIncluded = ({ object, isWrapped }: Payload): Payload => ({ object, isWrapped })
