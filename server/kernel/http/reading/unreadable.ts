import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { isReadingOn } from '../../../platform/sockets/read-on.ts'
import { Problem, type ProblemCode } from '../../errors.ts'
import { unkept } from '../caching.ts'
import { problemAnswer } from '../problems.ts'
import { isUploading } from './upload.ts'

export const requestTimeoutMs = 60_000
// A filter of 8 KiB can triple in size by percent-encoding.
export const headerBytesMax = 32 * 1024

/** Errors before Node has parsed a request, by code. Any other error means that it is not HTTP. */
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

/** Responds to unreadable input and closes the connection, because the start of the next request is unknown. */
export function refuseUnreadable({ code }: { code: string }, socket: Duplex): void {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
  if (isReadingOn(socket)) {
    socket.destroy()
    return
  }
  const [problem, detail] = refusals[code] ?? ['bad_request', 'The request is not valid HTTP.']
  endWith(new Problem(problem, detail), socket)
}

/** Refuses a CONNECT (RFC 9110 §9.3.6), which names no path. */
export const refuseConnect = (socket: Duplex): void =>
  endWith(new Problem('not_implemented', 'This server is not a proxy.'), socket)

const lingerMs = 1000

function endWith(problem: Problem, socket: Duplex): void {
  // Further input is unreadable too, and the response is already sent.
  if (!socket.writable) return
  const requestId = randomUUID()
  const { status, body } = problemAnswer(problem, requestId)
  const headers = Object.entries({
    ...{ 'content-type': 'application/json', 'x-request-id': requestId, ...unkept },
    ...{ 'content-length': Buffer.byteLength(body), connection: 'close' },
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${problem.title}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
  // Not at once: a client that is still sending would lose the response. Not never: the client may never close.
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

/** Of these Node uses the first. A proxy in front of the server may have used the last. */
const names = ['Host', 'Authorization', 'Content-Type'] as const

/** Refuses a request that has one of these headers twice (RFC 9110 §5.3, RFC 9112 §3.2), or none that it needs. */
export function checkHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): Problem | undefined {
  // HTTP/1.0 has no such header.
  if (headers.host === undefined && httpVersion === '1.1')
    return new Problem('bad_request', 'The Host header is required.', { source: 'Host' })
  const twice = names.find((name) => isTwice(rawHeaders, name))
  if (twice === undefined) return undefined
  return new Problem('bad_request', `The ${twice} header must be sent only once.`, { source: twice })
}

/** Compares lengths first: every request passes here, and most names have another one. */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name.toLowerCase()) count += 1
  }
  return count > 1
}
