import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { entityTag } from '../shape/answer.ts'
import type { ApiDocument } from '../shape/api-document.ts'
import { sendStored } from './send-stored.ts'
import { StoredContent, StoredContents } from './stored-content.ts'

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
  const documentAt = addressedDocuments(document)
  server.get('/openapi.json', (request, reply) => {
    const content = documentAt(baseUrl ?? `${request.protocol}://${request.host}`)
    reply.header('content-type', 'application/json; charset=utf-8')
    return sendStored(request, reply, content)
  })

  let opening: Promise<FastifyInstance> | undefined
  const pages = new Map<
    string,
    { readonly headers: Record<string, string>; readonly content: StoredContent }
  >()
  for (const path of ['/docs', '/docs/js/scalar.js']) {
    server.get(path, async (request, reply) => {
      reply.header('referrer-policy', 'no-referrer')
      const known = pages.get(path)
      if (known) return sendStored(request, reply.headers(known.headers), known.content)
      opening ??= openPages()
      const { statusCode, headers, rawPayload } = await (await opening).inject({ url: request.url })
      // The page is at an address with a slash at its end.
      if (statusCode !== 200) return reply.code(statusCode).header('location', headers.location).send()
      const type = String(headers['content-type'])
      const policy = type.startsWith('text/html') && {
        'content-security-policy': contentPolicyOf(rawPayload.toString(), baseUrl),
      }
      const page = {
        headers: { 'content-type': type, ...policy },
        content: new StoredContent(entityTag(rawPayload), [rawPayload]),
      }
      pages.set(path, page)
      return sendStored(request, reply.headers(page.headers), page.content)
    })
  }
}

/** The document for each address of the server. */
function addressedDocuments(document: () => ApiDocument) {
  let text: { readonly bytes: Buffer; readonly tag: string } | undefined
  const contents = new StoredContents()
  return (url: string) => {
    text ??= textOf(document())
    const { bytes, tag } = text
    const servers = JSON.stringify([{ url }])
    return contents.find(entityTag(servers, tag), () => [Buffer.from(`{"servers":${servers},`), bytes])
  }
}

/** The document without its opening brace, before which the server's address comes. */
function textOf(document: ApiDocument) {
  const text = JSON.stringify(document).slice(1)
  return { bytes: Buffer.from(text), tag: entityTag(text) }
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
