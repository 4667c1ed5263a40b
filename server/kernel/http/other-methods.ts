import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../errors.ts'

/** A path with parameters (`/v2/gadgets/:id`), and the methods that it answers. */
interface PathMethods {
  readonly url: string
  readonly allowed: ReadonlySet<string>
}

// Every path answers OPTIONS, and none answers CONNECT.
const methods = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/**
 * RFC 9110 §15.5.6: another method on a known path is a 405 with the allowed methods. Returns the refusal for a method
 * that no path allows, or nothing where the path is unknown.
 */
export function refuseOtherMethods(
  server: FastifyInstance,
  places: readonly PathMethods[],
): (method: string, url: string) => Problem | undefined {
  const used = new Set(places.flatMap(({ allowed }) => [...allowed]))
  // The router has a tree of paths for each method that it knows. To build thirty trees that only refuse would take
  // most of a start, so it knows the used methods, and the others are looked up here.
  // Without a body: nothing in it could change the response.
  for (const method of methods.filter((method) => !used.has(method)))
    server.addHttpMethod(method, { overrideExisting: true })
  for (const { url, allowed } of places)
    server.route({
      method: [...used].filter((method) => !allowed.has(method)),
      url,
      exposeHeadRoute: false,
      config: { unread: true },
      handler: ({ method }) => {
        throw notAllowed(method, allowed)
      },
    })
  // Where two places fit, the router takes the one with the first literal segment.
  const inOrder = [...places]
    .sort((a, b) => (byPrecedence(a) < byPrecedence(b) ? -1 : 1))
    .map(({ url, allowed }) => ({ segments: segmentsOf(url), allowed }))
  return (method, url) => {
    if (used.has(method)) return undefined
    const sent = segmentsOf(pathOf(url)).map(decodeURIComponent)
    const place = inOrder.find(
      ({ segments }) =>
        segments.length === sent.length && segments.every((one, i) => one.startsWith(':') || one === sent[i]),
    )
    return place && notAllowed(method, place.allowed)
  }
}

const byPrecedence = ({ url }: PathMethods) => url.replaceAll(':', '\uffff')

/** Requests through a proxy name the whole URL. */
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '')

/** Without the empty ones: the router ignores repeated and trailing slashes. */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

function notAllowed(method: string, allowed: ReadonlySet<string>): Problem {
  const allow = [...allowed, 'OPTIONS'].join(', ')
  const detail = `${method} is not allowed here; use ${allow}.`
  return new Problem('method_not_allowed', detail, { headers: { allow } })
}
