import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, entityTag } from '../shape/answer.ts'
import type { ApiDocument } from '../shape/api-document.ts'
import { matches } from './conditional.ts'
import { jsonParts } from './file.ts'

/**
 * The API document for programs (`/openapi.json`) and for people (`/docs`). The page loads everything from this server,
 * so it works without the internet and reveals its readers to no one. `openPages` opens a server that has it.
 */
export function docs(
  server: FastifyInstance,
  document: () => ApiDocument,
  baseUrl: string | undefined,
  openPages: () => Promise<FastifyInstance>,
): void {
  let opening: Promise<FastifyInstance> | undefined
  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    opening ??= openPages()
    const { statusCode, headers, rawPayload } = await (await opening).inject({ url: request.url })
    for (const name of ['content-type', 'location']) if (headers[name]) reply.header(name, headers[name])
    reply.code(statusCode)
    return statusCode === 200 ? sendTagged(request, reply, entityTag(rawPayload), rawPayload) : reply.send()
  }
  let text: { readonly bytes: Buffer; readonly tag: string } | undefined
  server.get('/openapi.json', (request, reply) => {
    text ??= textOf(document())
    const servers = JSON.stringify([{ url: baseUrl ?? `${request.protocol}://${request.host}` }])
    const { headers, body } = jsonParts([Buffer.from(`{"servers":${servers},`), text.bytes])
    reply.headers(headers ?? {})
    return sendTagged(request, reply, entityTag(servers, text.tag), body)
  })
  server.register(async (pages) => {
    pages.addHook('onSend', async (_request, reply, payload) => {
      reply.header('referrer-policy', 'no-referrer')
      const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
      if (isPage) reply.header('content-security-policy', contentPolicyOf(String(payload), baseUrl))
    })
    for (const path of ['/docs', '/docs/js/scalar.js']) pages.get(path, showPage)
  })
}

/** The document without its opening brace, before which the server's address comes. */
function textOf(document: ApiDocument) {
  const text = JSON.stringify(document).slice(1)
  return { bytes: Buffer.from(text), tag: entityTag(text) }
}

/** Anyone may keep it, and asks again before each use. */
function sendTagged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  content: Answer['body'],
): FastifyReply {
  reply.headers({ 'cache-control': 'no-cache', etag })
  const { 'if-none-match': known } = headers
  if (known === undefined || !matches(known, etag)) return reply.send(content)
  return reply.removeHeader('content-length').code(304).send()
}

/**
 * Readers type tokens into the page, so it may run no other scripts: only this server's own, and its inline scripts by
 * their hashes. It may send requests only to this server.
 */
const contentPolicyOf = (html: string, baseUrl: string | undefined): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScriptsOf(html).map(hashSource)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...(baseUrl ? [new URL(baseUrl).origin] : [])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const inlineScriptsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)

const hashSource = (script: string) => `'sha256-${hash('sha256', script, 'base64')}'`
