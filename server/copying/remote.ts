import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { StartupError } from '../platform/faults.ts'

// biome-ignore lint/suspicious/noExplicitAny: another server's answer may have any shape.
export type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
}

export interface Credentials {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Stock has two forms at these addresses. A header chooses the one with locations. */
const ofStock = /^\/v2\/inventories(\/[0-9a-f-]{36})?(\?|$)/

const attemptsMax = 14
const waitMs = { first: 100, max: 60_000 }
const answerMaxMs = 60_000
/** Tokens are renewed before they end. */
const earlyMs = 60_000

/** A server of this API, as its clients see it: with a token, a rate, and answers that ask for patience. */
export class Remote {
  readonly url: string
  readonly #credentials: Credentials
  readonly #clock: Clock
  readonly #intervalMs: number
  #token: { readonly value: string; readonly untilMs: number } | undefined
  #nextAtMs = 0
  requests = 0
  /** Answers that asked for patience, and connections that broke. */
  retries = 0

  /** `perSecond` limits the requests. */
  constructor(credentials: Credentials, clock: Clock, perSecond: number) {
    this.url = credentials.url.replace(/\/+$/, '')
    this.#credentials = credentials
    this.#clock = clock
    this.#intervalMs = 1000 / perSecond
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const isForm = body instanceof FormData
    const content = body === undefined ? undefined : isForm ? body : JSON.stringify(body)
    return this.#patiently(async () => {
      const answer = await this.#fetch(path, {
        method,
        headers: {
          authorization: `Bearer ${await this.#bearer()}`,
          ...(ofStock.test(path) && { 'ep-inventories-multi-location': 'true' }),
          ...(content !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(content !== undefined && { body: content }),
      })
      // The token was revoked, or its key's server has a new secret.
      if (answer.status === 401) this.#token = undefined
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: parsed(text) }
    })
  }

  /** The content at an address, which may be of another server. */
  async content(url: string): Promise<Blob | undefined> {
    const answer = await this.#patiently(async () => {
      const response = await this.#fetch(url, {})
      return { status: response.status, headers: response.headers, body: await response.blob() }
    })
    return answer.status === 200 ? answer.body : undefined
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    await this.#turn()
    this.requests += 1
    const url = /^https?:/.test(path) ? path : this.url + path
    return fetch(url, { ...init, signal: AbortSignal.timeout(answerMaxMs) })
  }

  async #turn(): Promise<void> {
    const nowMs = this.#clock.now().getTime()
    const atMs = Math.max(nowMs, this.#nextAtMs)
    this.#nextAtMs = atMs + this.#intervalMs
    if (atMs > nowMs) await sleep(atMs - nowMs)
  }

  /** Repeats a request while the server asks for patience, is away, or breaks the connection. */
  async #patiently<T extends { readonly status: number; readonly headers: Headers }>(
    request: () => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let fault: unknown
      let waitFor = Math.min(waitMs.first * 2 ** (attempt - 1), waitMs.max)
      try {
        const answer = await request()
        const { status, headers } = answer
        if (
          attempt === attemptsMax ||
          !(status === 429 || status >= 500 || (status === 401 && attempt < 3))
        ) {
          return answer
        }
        waitFor = retryAfterMs(headers, this.#clock) ?? (status === 401 ? 0 : waitFor)
      } catch (error) {
        if (error instanceof StartupError) throw error
        fault = error
      }
      if (fault && attempt === attemptsMax) {
        throw new StartupError(`${this.url} does not answer: ${reasonOf(fault)}`, { cause: fault })
      }
      this.retries += 1
      await sleep(waitFor)
    }
  }

  async #bearer(): Promise<string> {
    const nowMs = this.#clock.now().getTime()
    if (this.#token && this.#token.untilMs > nowMs + earlyMs) return this.#token.value
    const { clientId, clientSecret } = this.#credentials
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const answer = await this.#fetch('/oauth/access_token', {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const body = parsed(await answer.text())
    if (answer.status === 429 || answer.status >= 500) throw new Error(`no token: ${answer.status}`)
    if (!answer.ok || typeof body?.access_token !== 'string') {
      throw new StartupError(`${this.url} gives no token for the client id ${clientId}: ${answer.status}`)
    }
    this.#token = { value: body.access_token, untilMs: nowMs + (Number(body.expires_in) || 3600) * 1000 }
    return this.#token.value
  }
}

function parsed(text: string): Json {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** In seconds, or as a date. */
function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - clock.now().getTime()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), 10 * waitMs.max) : undefined
}

const reasonOf = (error: unknown) => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}

/** What a refusal says. */
export function detailOf({ status, body }: Answer): string {
  const errors: Json[] = Array.isArray(body?.errors) ? body.errors : []
  const details = errors.map(({ detail, title, source }) => {
    const where = typeof source === 'string' ? source : source?.pointer
    return [where, detail ?? title].filter(Boolean).join(': ')
  })
  return `${status} ${details.join('; ')}`.trim()
}
