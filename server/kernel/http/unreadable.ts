import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { isReadingOn } from '../../platform/sockets/read-on.ts'
import { Problem, type ProblemCode } from '../errors.ts'
import { problemAnswer } from './problems.ts'
import { isUploading } from './upload.ts'

export const requestTimeoutMs = 60_000
// A filter of 8 KiB takes three times as much once it is percent-encoded.
export const headerBytesMax = 32 * 1024

/** What Node refuses before there is a request, by its error code; the rest is not HTTP. */
const refusals: Readonly<Record<string, readonly [code: ProblemCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    `The URL and the headers are too large; together they must have at most ${headerBytesMax / 1024} KiB.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too_large', 'The chunk extensions of the request body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    `The request was not complete after ${requestTimeoutMs / 1000} seconds.`,
  ],
}

/** Answers what cannot be read as a request, and ends the connection: where a next request would begin is unknown. */
export function refuseUnreadable({ code }: { code: string }, socket: Duplex): void {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
  if (isReadingOn(socket)) {
    socket.destroy()
    return
  }
  const [problem, detail] = refusals[code] ?? ['bad_request', 'The request is not valid HTTP.']
  endWith(new Problem(problem, detail), socket)
}

/** Answers a CONNECT (RFC 9110 §9.3.6), which names no path. */
export const refuseConnect = (socket: Duplex): void =>
  endWith(new Problem('not_implemented', 'This server is not a proxy.'), socket)

const lingerMs = 1000

function endWith(problem: Problem, socket: Duplex): void {
  // Whatever else arrives cannot be read either, and was answered.
  if (!socket.writable) return
  const requestId = randomUUID()
  const { status, body } = problemAnswer(problem, requestId)
  socket.end(
    `HTTP/1.1 ${status} ${problem.title}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  // At once, what the client is still sending would make it lose the answer; and it may never end by itself.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
