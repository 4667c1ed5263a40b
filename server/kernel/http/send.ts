import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isWaiting } from '../../platform/sockets/expect.ts'
import { hasMore, readingOnAfter } from '../../platform/sockets/read-on.ts'
import type { Answer } from '../shape/answer.ts'
import { bodyBytesMax } from './body.ts'

export function sendAnswer(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  const { raw } = reply.request
  const more = hasMore(raw)
  const long = !(Number(raw.headers['content-length']) <= bodyBytesMax)
  reply.code(status)
  // While the server shuts down, each connection closes after its response. It also closes if the client still has much
  // to send, or has not been asked for the body.
  if (!reply.server.server.listening || (more && (long || isWaiting(raw))))
    reply.header('connection', 'close')
  for (const name in headers) reply.header(name, headers[name])
  if (typeof body !== 'string') return sendFile(reply, body)
  if (body !== '') reply.header('content-type', 'application/json; charset=utf-8')
  if (!more) return reply.send(body)
  return reply.header('content-length', Buffer.byteLength(body)).send(readingOnAfter(body, raw))
}

function sendFile(reply: FastifyReply, content: Uint8Array | Readable): FastifyReply {
  const { id, log, method, url } = reply.request
  if (!(content instanceof Readable)) return reply.send(content)
  if (method === 'HEAD') {
    content.destroy()
    return reply.send()
  }
  content.once('error', (error) => {
    log.error(
      { err: error, request_id: id },
      `${method} ${url.split('?')[0]} ended before its response was sent`,
    )
  })
  return reply.send(content)
}
