import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Answer } from '../shape/answer.ts'
import { LineStream } from './line-stream.ts'

/**
 * A response with a file: bytes, or a stream that is read as fast as the client accepts it. An error before the first
 * byte becomes a normal refusal. A later one closes the connection, so that no client takes a part for the whole.
 */
export const file = (
  content: Uint8Array | Readable,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status: 200,
  body: content,
  headers: { 'content-type': type, ...headers },
})

/** JSON whose last part is the same in many responses: it is in memory once for all clients. */
export function jsonParts(
  parts: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return {
    status: 200,
    body: Readable.from(parts),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(length),
      ...headers,
    },
  }
}

/** Waits until the first content is ready to be sent, or throws the reason why there is none. */
export async function waitForContent(body: Readable): Promise<void> {
  // Lines are not written before the first ones are ready.
  if (body instanceof LineStream || body.readableEnded) return
  if (body.errored) throw body.errored
  if (body.destroyed) throw new Error('the content of a response was destroyed before it was sent')
  await Promise.race([once(body, 'readable'), once(body, 'close')])
}

/** Discards the content of a response that is not sent. */
export function discard({ body }: Answer): void {
  if (body instanceof Readable) body.destroy()
}
