import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { ClientGone, Unavailable } from '../../platform/faults.ts'
import { isWaiting } from '../../platform/sockets/expect.ts'
import { hasMore, readingOnAfter } from '../../platform/sockets/read-on.ts'
import { Problem } from '../errors.ts'
import type { Answer } from '../shape/answer.ts'
import { discard } from './file.ts'
import type { problemAnswer } from './problems.ts'
import { bodyBytesMax } from './reading/body-limits.ts'

/** Node reserves three bytes for each character of a longer string. To encode it first takes half of the time. */
const longTextMin = 16_384

export function sendAnswer(reply: FastifyReply, { status, body, headers, trailers }: Answer): FastifyReply {
  const { raw } = reply.request
  const more = hasMore(raw)
  const long = !(Number(raw.headers['content-length']) <= bodyBytesMax)
  reply.code(status)
  // While the server shuts down, each connection closes after its response. It also closes if the client still has much
  // to send, or has not been asked for the body.
  if (!reply.server.server.listening || (more && (long || isWaiting(raw))))
    reply.header('connection', 'close')
  for (const name in headers) reply.header(name, headers[name])
  if (trailers) for (const [name, value] of Object.entries(trailers)) reply.trailer(name, async () => value())
  if (typeof body !== 'string') return sendFile(reply, body)
  if (body !== '') reply.header('content-type', 'application/json; charset=utf-8')
  if (!more) return reply.send(body.length < longTextMin ? body : Buffer.from(body))
  return reply.header('content-length', Buffer.byteLength(body)).send(readingOnAfter(body, raw))
}

/** Whether the rest of the request is short, and the client sends it in any case. */
export const canEndAtOnce = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] === undefined &&
  !(Number(request.headers['content-length']) > bodyBytesMax) &&
  !isWaiting(request)

/** Sends a refusal by the shortest way: where very many are refused, each must cost almost nothing. */
export function endAtOnce(
  reply: FastifyReply,
  { status, headers, body }: ReturnType<typeof problemAnswer>,
): void {
  const type = 'application/json; charset=utf-8'
  reply.headers({ ...headers, 'content-type': type, 'content-length': Buffer.byteLength(body) })
  reply.hijack()
  reply.raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders)
  reply.raw.end(body)
}

const isExpected = (error: Error): boolean =>
  error instanceof Unavailable || (error instanceof Problem && error.code !== 'internal')

/**
 * HTTP/1.0 has neither chunks nor trailers: a response that ends early, because a process or a connection broke, looks
 * whole. Refuses it where that matters.
 */
export function refuseOldVersion(answer: Answer, { httpVersion }: IncomingMessage): void {
  if (!answer.trailers || httpVersion !== '1.0') return
  discard(answer)
  throw new Problem(
    'upgrade_required',
    'A list of lines needs HTTP/1.1: over HTTP/1.0 a client could not tell a part of it from the whole. A proxy that sends HTTP/1.0 must be told to use 1.1 (nginx: proxy_http_version 1.1).',
    { headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' } },
  )
}

function sendFile(reply: FastifyReply, content: Uint8Array | Readable): FastifyReply {
  const { id, log, method, url } = reply.request
  if (!(content instanceof Readable)) return reply.send(content)
  if (method === 'HEAD') {
    content.destroy()
    return reply.send()
  }
  content.once('error', (error) => {
    // Without a length or chunks, only a reset connection shows that the response is not complete.
    if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy()
    if (error instanceof ClientGone) return
    const line = `${method} ${url.split('?')[0]} ended before its response was sent`
    if (isExpected(error)) log.warn({ request_id: id }, `${line}: ${error.message}`)
    else log.error({ err: error, request_id: id }, line)
  })
  return reply.send(content)
}
