import type { TargetMessage } from './message.ts'

/** What queues take at most. */
const queueBytesMax = 256 * 1024

/**
 * The body of a queue's message: a CloudEvent 1.0. Undefined if it is too long for a queue, even without the included
 * objects of its payload.
 */
export function cloudEvent(message: TargetMessage, bytesMax: number = queueBytesMax): string | undefined {
  const texts = [message.content.data.whole, message.content.data.short].map((data) => textOf(message, data))
  return texts.find((text) => Buffer.byteLength(text) <= bytesMax)
}

function textOf({ eventId, key, integration, storeId, source }: TargetMessage, data: string): string {
  const begin = JSON.stringify({
    ...{ id: eventId, type: key, source, specversion: '1.0', datacontenttype: 'application/json' },
    ...{ integrationid: integration.id, storeid: storeId },
  })
  const text = `${begin.slice(0, -1)},"data":${data}}`
  // The only characters besides those that JSON escapes that a queue of SQS refuses.
  return text.replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

export const tooLong =
  `The message is longer than ${queueBytesMax / 1024} KiB, also without \`included\`: ` +
  'a queue does not take it. Read the object with its GET.'
