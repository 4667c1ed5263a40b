import type { IncomingMessage } from 'node:http'
import { type Duplex, Readable } from 'node:stream'

/** Limits in bytes, in time, and in time without input. */
const readOnMax = { bytes: 64 * 1024 * 1024, ms: 30_000, idleMs: 5_000 } as const

/** Connections that still read a request after its response. */
const readingOn = new WeakSet<Duplex>()

export const isReadingOn = (socket: Duplex): boolean => readingOn.has(socket)

/** Whether part of the request's body is unread. */
export const hasMore = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0)

/**
 * A response to a request that was not fully read. The text is sent at once, and the stream ends when the rest of the
 * request is read. Closing the connection earlier would reset it, and a client that is still sending would lose the
 * response (RFC 9112 §9.6).
 */
export function readingOnAfter(text: string, request: IncomingMessage): Readable {
  readingOn.add(request.socket)
  return Readable.from(respondAndReadOn(text, request, readToEnd(request)))
}

async function* respondAndReadOn(
  text: string,
  request: IncomingMessage,
  ended: Promise<boolean>,
): AsyncGenerator<string> {
  yield text
  if (!(await ended)) request.destroy()
  readingOn.delete(request.socket)
}

/** Reads to the end of the request; false if it is too long, or the client is gone. */
async function readToEnd(request: IncomingMessage): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return request.readableEnded
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const giveUp = () => resolve(false)
  const late = setTimeout(giveUp, readOnMax.ms).unref()
  const idle = setTimeout(giveUp, readOnMax.idleMs).unref()
  let bytes = 0
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    idle.refresh()
    bytes += chunk.length
    if (bytes > readOnMax.bytes) giveUp()
  })
  request.once('end', () => resolve(true))
  request.once('close', giveUp)
  request.resume()
  return promise.finally(() => {
    clearTimeout(late)
    clearTimeout(idle)
  })
}
