import { setTimeout as sleep } from 'node:timers/promises'
import { idFrom } from '../../server/kernel/ids.ts'
import type { RunningServer } from '../../server/main.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response has the shape that the API document says.
export type AnyJson = any

type OwnHeaders = Readonly<Record<string, string>>

interface MerchantResponse {
  readonly status: number
  readonly body: AnyJson
}

interface Creation {
  readonly id: string
  /** False if an earlier run has created it. */
  readonly isNew: boolean
}

const jobMaxMs = 300_000
const jobLookMs = 25

/**
 * A client of the server, which uses the public operations. The objects that it creates have the same ids each time, so
 * it can go on where it was interrupted.
 */
export class Merchant {
  readonly #server: Pick<RunningServer, 'inject' | 'url'>
  readonly #token: string
  readonly #shop: string
  readonly #onWrite: () => void

  constructor(
    server: Pick<RunningServer, 'inject' | 'url'>,
    token: string,
    shop: string,
    onWrite: () => void = () => {},
  ) {
    this.#server = server
    this.#token = token
    this.#shop = shop
    this.#onWrite = onWrite
  }

  /** The same merchant with the token of somebody else. */
  as(token: string): Merchant {
    return new Merchant(this.#server, token, this.#shop, this.#onWrite)
  }

  /** The id of an object of this shop. */
  idOf(key: string): string {
    return idFrom(`${this.#shop} ${key}`)
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: OwnHeaders = {},
  ): Promise<MerchantResponse> {
    const isForm = Buffer.isBuffer(body)
    const answer = await this.#server.inject({
      method: method as 'GET',
      url: path,
      headers: {
        host: new URL(this.#server.url).host,
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: isForm ? body : JSON.stringify(body) }),
    })
    if (method !== 'GET' && answer.statusCode < 300) this.#onWrite()
    return { status: answer.statusCode, body: answer.payload && JSON.parse(answer.payload) }
  }

  /** Sends what must succeed. Returns the data of the response. */
  async do(method: string, path: string, data?: unknown, headers?: OwnHeaders): Promise<AnyJson> {
    const { status, body } = await this.send(method, path, data === undefined ? undefined : { data }, headers)
    if (status < 300) return body?.data
    throw refusalOf(method, path, status, body)
  }

  /** Sends what the server must refuse. */
  async refused(method: string, path: string, data: unknown): Promise<void> {
    const { status, body } = await this.send(method, path, { data })
    if (status >= 500 || status < 400) throw refusalOf(method, path, status, body)
  }

  get = async (path: string): Promise<AnyJson> => this.do('GET', path)

  /** Creates an object with the id of its key, unless an earlier run has. */
  async create(path: string, key: string, data: object, headers: OwnHeaders = {}): Promise<Creation> {
    const id = this.idOf(key)
    const { status, body } = await this.send('POST', path, { data }, { ...headers, 'x-sutler-id': id })
    if (status < 300) return { id: body.data.id, isNew: true }
    if ((await this.send('GET', `${path}/${id}`)).status === 200) return { id, isNew: false }
    throw refusalOf('POST', path, status, body)
  }

  /** Sends what an earlier run may have done already, which the server then refuses. */
  async ensure(path: string, data: unknown, refusals: readonly number[] = [409]): Promise<AnyJson> {
    const { status, body } = await this.send('POST', path, { data })
    if (status < 300 || refusals.includes(status)) return body?.data
    throw refusalOf('POST', path, status, body)
  }

  /** Waits until `look` finds something. */
  async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (let waited = 0; waited < jobMaxMs; waited += jobLookMs) {
      const found = await look()
      if (found !== undefined) return found
      await sleep(jobLookMs)
    }
    throw new Error(`${what} has not ended`)
  }
}

const refusalOf = (method: string, path: string, status: number, body: AnyJson) => {
  const reasons = (body?.errors ?? []).map(({ detail, source }: AnyJson) =>
    [source, detail].filter(Boolean).join(': '),
  )
  return new Error(
    `the demo shop cannot be made: ${method} ${path} was refused (${status}): ${reasons.join('; ')}`,
  )
}
