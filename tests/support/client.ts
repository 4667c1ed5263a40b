import type { FastifyInstance } from 'fastify'

/** A response. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a response is what a test is about.
  readonly body: any
}

/** A caller, whose requests have its token. */
export interface Client {
  readonly token: string | undefined
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  delete(path: string, headers?: Record<string, string>): Promise<Reply>
  /** A GET whose response need not be JSON. */
  read(path: string, headers: Record<string, string>): Promise<Answer>
  send(method: string, path: string, init?: { body?: Body; headers?: Record<string, string> }): Promise<Reply>
}

/** The last refused requests of the current test, shown when it fails (show-refusals.ts). */
export const refusals: string[] = []
const refusalsMax = 3

type Body = string | FormData | Uint8Array<ArrayBuffer>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** How a client's requests reach the server. */
export type Transport = (
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Body | undefined,
) => Promise<Answer>

export const overHttp: Transport = async (method, url, headers, body) => {
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/**
 * Hands requests to a server of this process without a connection, at half the cost. Forms,
 * redirects and other addresses go over HTTP.
 */
export const injectedInto =
  (server: FastifyInstance, origin: string): Transport =>
  async (method, url, headers, body) => {
    if (url.origin !== origin || (body !== undefined && typeof body !== 'string'))
      return overHttp(method, url, headers, body)
    const answer = await server.inject({
      method: method as 'GET',
      url: url.pathname + url.search,
      headers: { host: url.host, ...trimmed(headers) },
      ...(body !== undefined && { payload: body }),
    })
    const { statusCode: status, payload: text } = answer
    const { location } = answer.headers
    if (status > 300 && status < 400 && location)
      return overHttp('GET', new URL(String(location), url), headers, undefined)
    return { status, headers: headersOf(answer.headers), text }
  }

/** As they arrive over HTTP. */
const trimmed = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]))

function headersOf(sent: Readonly<Record<string, unknown>>): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(sent))
    for (const value of [values].flat()) if (value !== undefined) headers.append(name, String(value))
  return headers
}

/** A caller of the server at `url`; without a token, an anonymous one. */
export function clientOf(url: string, token: string | undefined, transport: Transport = overHttp): Client {
  const call = (method: string, path: string, body: Body | undefined, headers: Record<string, string>) =>
    transport(
      method,
      new URL(path.startsWith('http') ? path : url + path),
      {
        ...(token && { authorization: `Bearer ${token}` }),
        // A form sets its own type and boundary.
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
    )
  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    const { status, text, ...answer } = await call(method, path, body, headers)
    if (status >= 300 && status !== 304) refused(`${method} ${path}: ${status} ${text}`)
    return { status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const asBody = (body: unknown) => (body === undefined ? {} : { body: JSON.stringify(body) })
  return {
    token,
    send,
    read: (path, headers) => call('GET', path, undefined, headers),
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { ...asBody(body), headers }),
    put: (path, body, headers = {}) => send('PUT', path, { ...asBody(body), headers }),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
  }
}

function refused(what: string): void {
  refusals.push(what)
  if (refusals.length > refusalsMax) refusals.shift()
}

/** An access token of a key. */
export async function tokenOf(
  url: string,
  clientId: string,
  clientSecret: string,
  grant: string,
): Promise<string> {
  const body = new URLSearchParams({ grant_type: grant, client_id: clientId, client_secret: clientSecret })
  const answer = await fetch(`${url}/oauth/access_token`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`No ${grant} token: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { access_token: string }).access_token
}

interface Dispatcher {
  close(): Promise<void>
}

const ofFetch = Symbol.for('undici.globalDispatcher.1')

/**
 * Closes the connections that fetch keeps open: a server that stops waits a moment for what may be on its way on them,
 * and a test run stops hundreds.
 */
export function hangUp(): void {
  const holder = globalThis as unknown as Record<symbol, Dispatcher | undefined>
  const open = holder[ofFetch]
  if (!open) return
  holder[ofFetch] = new (open.constructor as new () => Dispatcher)()
  void open.close()
}
