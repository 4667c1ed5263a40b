import type { Message } from './message.ts'

/** What queues take at most. */
export const queueBytesMax = 256 * 1024

/**
 * The body of a queue's message: a CloudEvent 1.0. Undefined if it is too long for a queue, even without the included
 * objects of its payload.
 */
export function cloudEvent(message: Message, bytesMax: number = queueBytesMax): string | undefined {
  const whole = textOf(message, message.payload)
  if (Buffer.byteLength(whole) <= bytesMax) return whole
  const { included: _, ...rest } = message.payload as { readonly included?: unknown }
  const without = textOf(message, rest)
  return Buffer.byteLength(without) <= bytesMax ? without : undefined
}

function textOf({ eventId, key, integration, storeId, source }: Message, data: unknown): string {
  const text = JSON.stringify({
    ...{ id: eventId, type: key, source, specversion: '1.0', datacontenttype: 'application/json' },
    ...{ integrationid: integration.id, storeid: storeId, data },
  })
  // The only characters besides those that JSON escapes that a queue of SQS refuses.
  return text.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

export const tooLong =
  `The message is longer than ${queueBytesMax / 1024} KiB, also without \`included\`: ` +
  'a queue does not take it. Read the object with its GET.'
