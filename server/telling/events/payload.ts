/** What an event shows, as JSON. */
export interface EventPayload {
  /** The object as it was at the event; of a deletion, its type and id. */
  readonly object: string
  /** What belongs to the object, such as the items of an order: an object of lists. */
  readonly included?: string
  /** The contract has the payloads of deletions and of one-time passwords without an envelope. */
  readonly isBare?: true
}

/** The payload for a webhook: the object as `data`, with `included` beside it. */
export const webhookPayload = ({ object, included, isBare }: EventPayload): string =>
  isBare ? object : `{"data":${object}${included === undefined ? '' : `,"included":${included}`}}`

/** The `data` for a queue: the object alone, unless something belongs to it. */
export const queueData = ({ object, included }: EventPayload): string =>
  included === undefined ? object : `{"data":${object},"included":${included}}`

/** The same without what belongs to the object, for queues whose messages are limited. */
export const withoutIncluded = ({ included: _, ...payload }: EventPayload): EventPayload => payload
