import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../errors.ts'
import { entityTag } from '../shape/answer.ts'
import { sendStored } from './send-stored.ts'
import { StoredContents } from './stored-content.ts'

/** What the page at `/` tells of this server. */
export interface ServerState {
  /** The address that the client called. */
  readonly url: string
  /** Why the server cannot serve requests; undefined if it can. */
  readonly fault: string | undefined
}

/** The page at `/`, for people. There is nothing else at this path, and programs get a 404 there. */
export function frontPage(
  server: FastifyInstance,
  baseUrl: string | undefined,
  faultOf: () => Promise<string | undefined>,
  page: (state: ServerState) => Promise<string>,
): void {
  const contents = new StoredContents()
  server.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    if (!isBrowser(request.headers.accept))
      throw new Problem('not_found', `There is nothing at ${request.method} /.`)
    const url = (baseUrl ?? `${request.protocol}://${request.host}`).replace(/\/+$/, '')
    const html = await page({ url, fault: await faultOf() })
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentPolicyOf(html),
      'referrer-policy': 'no-referrer',
    })
    return sendStored(
      request,
      reply,
      contents.find(entityTag(html), () => [Buffer.from(html)]),
    )
  })
}

/** Only browsers name HTML; other clients accept anything, or JSON. */
const isBrowser = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'text/html')

/** The page has no script, loads nothing, and sends nothing. */
function contentPolicyOf(html: string): string {
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
