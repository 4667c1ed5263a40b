import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Answer } from '../shape/answer.ts'

/**
 * An answer that is a file: bytes, or a stream that is read as fast as the client takes it. What fails before its first
 * byte is refused like anything else; after that the connection ends, so that no one takes a part for the whole.
 */
export const file = (
  content: Uint8Array | Readable,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status: 200,
  body: content,
  // It is what we say it is: no browser is to find a script in it.
  headers: { 'content-type': type, 'x-content-type-options': 'nosniff', ...headers },
})

/** JSON of which the last part is the same in many answers: it is in memory once, however many clients take it. */
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

/** Waits until something of the content is there to be sent, or throws why nothing is. */
export async function waitForContent({ body }: Answer): Promise<void> {
  if (!(body instanceof Readable) || body.readableEnded) return
  if (body.errored) throw body.errored
  if (body.destroyed) throw new Error('the content of a response was destroyed before it was sent')
  await Promise.race([once(body, 'readable'), once(body, 'close')])
}

/** For an answer whose content is not sent after all. */
export function discard({ body }: Answer): void {
  if (body instanceof Readable) body.destroy()
}
