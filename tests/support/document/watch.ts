import diagnostics from 'node:diagnostics_channel'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isException } from './exceptions.ts'
import { type Exchange, type Fault, Fits } from './fits.ts'

/**
 * Watches every server that runs in this process: each accepted request and each answer must fit the API document that
 * the server serves, or the one that the store has for itself.
 */

const faults = new Map<string, Fault>()
const faultsMax = 20

/** The faults since the last call. */
export function takeFaults(): readonly Fault[] {
  const all = [...faults.values()]
  faults.clear()
  return all
}

/** Documents are the same for most servers. What is compiled of one serves as long as its text is the same. */
const compiled = new Map<string, Fits>()
const compiledMax = 10

function fitsOf(text: string): Fits {
  // Each server has an address of its own.
  const same = text.replace(/^\{"servers":\[[^\]]*\],/, '{')
  const cached = compiled.get(same)
  if (cached) return cached
  if (compiled.size >= compiledMax) compiled.delete(compiled.keys().next().value as string)
  const fits = new Fits(JSON.parse(same))
  compiled.set(same, fits)
  return fits
}

/** What the servers of the same modules have in common: making the document takes longer than starting a server. */
const documents = new WeakMap<object, Promise<Fits | undefined>>()
const modulesOf = new WeakMap<FastifyInstance, object>()

/** Says that servers of these modules have the same document. */
export const serves = (server: FastifyInstance, modules: object): void => void modulesOf.set(server, modules)

const ownDocument = '/v2/settings/specifications/openapi'

class WatchedServer {
  readonly #server: FastifyInstance
  /** The last documents that each store had for itself: a definition may change to and fro. */
  readonly #own = new Map<string, readonly Fits[]>()
  /** A token of each store that may read its document. */
  readonly #tokens = new Map<string, string>()

  constructor(server: FastifyInstance) {
    this.#server = server
  }

  async check(request: FastifyRequest, exchange: Exchange): Promise<void> {
    const store = this.#storeOf(request)
    const general = await this.#general()
    let misfits = general?.faults(exchange)
    if (!misfits || misfits.every(isException)) return
    // What a store adds is in its own document: in one of the last ones, or in the one of now.
    if (store && exchange.route !== ownDocument) {
      const last = this.#own.get(store) ?? []
      if (last.some((one) => one.faults(exchange)?.length === 0)) return
      const own = await this.#read(ownDocument, this.#tokens.get(store))
      if (own) this.#own.set(store, [own, ...last.filter((one) => one !== own)].slice(0, 2))
      misfits = own?.faults(exchange) ?? misfits
    }
    for (const fault of misfits) {
      const key = `${fault.operation}: ${fault.what}`
      if (faults.size < faultsMax && !isException(fault)) faults.set(key, fault)
    }
  }

  #general(): Promise<Fits | undefined> {
    const of = modulesOf.get(this.#server) ?? this
    const loading = documents.get(of) ?? this.#read('/openapi.json')
    documents.set(of, loading)
    void loading.then((fits) => fits ?? documents.delete(of))
    return loading
  }

  #storeOf({ headers }: FastifyRequest): string | undefined {
    const { authorization } = headers
    const [, payload = ''] = authorization?.split('.') ?? []
    if (!payload) return undefined
    try {
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      if (claims.kind === 'client_credentials') this.#tokens.set(claims.store_id, authorization ?? '')
      return claims.store_id
    } catch {
      return undefined
    }
  }

  async #read(url: string, authorization?: string): Promise<Fits | undefined> {
    const headers = { host: 'localhost', ...(authorization && { authorization }) }
    const { statusCode, body } = await this.#server.inject({ url, headers })
    return statusCode === 200 ? fitsOf(body) : undefined
  }
}

/** Leaves out a byte order mark, as the server does. */
const decoder = new TextDecoder()

function textOf(body: Buffer, headers: FastifyRequest['headers']): string {
  if (!/gzip/i.test(headers['content-encoding'] ?? '')) return decoder.decode(body)
  try {
    return decoder.decode(gunzipSync(body))
  } catch {
    return ''
  }
}

function exchangeOf(request: FastifyRequest, status: number, headers: object, payload: unknown): Exchange {
  const { url, method, body } = request
  const mark = url.indexOf('?')
  const { unread } = request.routeOptions.config as { readonly unread?: boolean }
  const isText = typeof payload === 'string' || payload === undefined || payload === null
  return {
    method,
    route: request.routeOptions.url ?? '',
    params: (request.params ?? {}) as Record<string, string>,
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: request.headers,
    sent: unread ? undefined : Buffer.isBuffer(body) ? textOf(body, request.headers) : '',
    status,
    answerHeaders: headers as Exchange['answerHeaders'],
    answer: isText ? String(payload ?? '') : undefined,
  }
}

const subscribed = Symbol.for('sutler.tests.document')

/** Watches all servers that are made from now on; once in a process. */
export function watchServers(): void {
  const once = globalThis as unknown as Record<symbol, true | undefined>
  if (once[subscribed]) return
  once[subscribed] = true
  diagnostics.subscribe('fastify.initialization', (message) => {
    const { fastify: server } = message as { readonly fastify: FastifyInstance }
    const watched = new WatchedServer(server)
    server.addHook('onSend', async (request, reply, payload) => {
      const url = request.routeOptions.url
      if (
        url === undefined ||
        !/^\/(v2|pcm|catalogs?|oauth|files|exports|oidc-idp|catalog-deltas)\b/.test(url)
      )
        return
      // SUTLER_RATE limits every request. The document is that of a server without it.
      if (reply.hasHeader('ratelimit-policy')) return
      await watched.check(request, exchangeOf(request, reply.statusCode, reply.getHeaders(), payload))
    })
  })
}
