import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../server/kernel/clock.ts'
import { StartupError } from '../../server/platform/faults.ts'
import { parsed, type RemoteAnswer, readText, UnreadableAnswer } from './read-answer.ts'
import { type FileAccess, readContent } from './read-content.ts'

export interface RemoteCredentials {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Stock has two forms at these addresses. A header chooses the one with locations. */
const ofStock = /^\/v2\/inventories(\/[0-9a-f-]{36})?(\?|$)/

/** Close to five minutes, where no request takes long. */
const attemptsMax = 14
/** One file is worth less patience than the server. */
const contentAttemptsMax = 4
const waitMs = { first: 100, max: 60_000 }
const answerMaxMs = 60_000
/** A server that has not answered yet is rather a wrong address than one that is away for a while. */
const first = { attemptsMax: 5, answerMaxMs: 10_000 }
/** Tokens are renewed before they end. */
const earlyMs = 60_000

/** A server of this API, as its clients see it: with a token, a rate, and answers that ask for patience. */
export class Remote {
  readonly url: string
  readonly #credentials: RemoteCredentials
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #files: FileAccess
  readonly #signal: AbortSignal | undefined
  #token: { readonly value: string; readonly untilMs: number } | undefined
  #nextAtMs = 0
  #hasAnswered = false
  requests = 0
  /** Answers that asked for patience, and connections that broke. */
  retries = 0

  /** `perSecond` limits the requests. After an abort of the signal none is sent. */
  constructor(
    credentials: RemoteCredentials,
    clock: Clock,
    perSecond: number,
    files: FileAccess,
    signal?: AbortSignal,
  ) {
    this.url = credentials.url.replace(/\/+$/, '')
    this.#credentials = credentials
    this.#clock = clock
    this.#intervalMs = 1000 / perSecond
    this.#files = files
    this.#signal = signal
  }

  get(path: string): Promise<RemoteAnswer> {
    return this.send('GET', path)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RemoteAnswer> {
    this.#signal?.throwIfAborted()
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
      const { status, headers: answered } = answer
      const text = await readText(answer)
      return { status, headers: answered, body: isRedirect(status) ? notFollowed : parsed(text) }
    })
  }

  /** The content at an address, which may be of another server. Returns the reason if it cannot be read. */
  async content(href: unknown): Promise<Blob | string> {
    try {
      const read = async () => {
        await this.#turn()
        this.requests += 1
        return readContent(this.#files, this.url, href)
      }
      const { status, content } = await this.#patiently(read, contentAttemptsMax)
      return status === 200 ? content : String(status)
    } catch (error) {
      return reasonOf(error)
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    await this.#turn()
    this.requests += 1
    // Where a redirect leads, the token must not go.
    const signal = AbortSignal.timeout(this.#hasAnswered ? answerMaxMs : first.answerMaxMs)
    const answer = await fetch(this.url + path, { ...init, redirect: 'manual', signal })
    this.#hasAnswered = true
    return answer
  }

  /** Gets a token. Throws if the server does not answer, or gives none: better before the copy than in the middle. */
  async connect(): Promise<void> {
    await this.#patiently(async () => {
      await this.#bearer()
      return new Response()
    })
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
    most = attemptsMax,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let fault: unknown
      let waitFor = Math.min(waitMs.first * 2 ** (attempt - 1), waitMs.max)
      try {
        const answer = await request()
        const { status, headers } = answer
        if (attempt === most || !(status === 429 || status >= 500 || (status === 401 && attempt < 3))) {
          return answer
        }
        waitFor = retryAfterMs(headers, this.#clock) ?? (status === 401 ? 0 : waitFor)
      } catch (error) {
        if (error instanceof StartupError || error instanceof UnreadableAnswer) throw error
        fault = error
      }
      if (fault && attempt >= (this.#hasAnswered ? most : Math.min(most, first.attemptsMax))) {
        throw new StartupError(`${this.url} does not answer: ${reasonOf(fault)}`, { cause: fault })
      }
      this.retries += 1
      await sleep(waitFor, undefined, { ...(this.#signal && { signal: this.#signal }) })
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
    const body = parsed(await readText(answer))
    if (answer.status === 429 || answer.status >= 500) throw new Error(`no token: ${answer.status}`)
    // It becomes a header.
    if (!answer.ok || !/^[!-~]+$/.test(String(body?.access_token ?? ''))) {
      throw new StartupError(`${this.url} gives no token for the client id ${clientId}: ${answer.status}`)
    }
    this.#token = { value: body.access_token, untilMs: nowMs + (Number(body.expires_in) || 3600) * 1000 }
    return this.#token.value
  }
}

const isRedirect = (status: number) => status >= 300 && status < 400

const notFollowed = {
  errors: [{ detail: 'a redirect, which is not followed: name the address that answers itself' }],
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
