import type { FastifyReply, FastifyRequest } from 'fastify'
import { matches } from './conditional.ts'
import { codingFor } from './prefer.ts'
import type { StoredContent } from './stored-content.ts'

/** Anyone may keep it, and asks again before each use. */
export async function sendStored(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  content: StoredContent,
): Promise<FastifyReply> {
  const vary = [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', ')
  reply.headers({ 'cache-control': 'no-cache', etag: content.tag, vary })
  const { 'if-none-match': known, 'accept-encoding': accepted } = headers
  if (known !== undefined && matches(known, content.tag)) return reply.code(304).send()
  const coding = content.isKept ? codingFor(accepted) : undefined
  if (coding) return reply.header('content-encoding', coding).send(await content.in(coding))
  const plain = content.plain()
  return reply.header('content-length', plain.length).send(plain.content)
}
