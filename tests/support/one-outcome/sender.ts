import { setTimeout as sleep } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: as for Reply.
type Any = any

interface Reply {
  readonly status: number
  readonly body: Any
}

/** The key that the server creates at its first start. */
export const key = {
  SUTLER_CLIENT_ID: 'one-outcome',
  SUTLER_CLIENT_SECRET: 'the secret of one outcome, long enough',
}

const retryAfterMs = 50

/** A client that knows nothing of what became of its requests, and sends them until a server has decided. */
export class Sender {
  readonly #url: string
  #token = ''
  /** Requests without an answer, and answers that say nothing. */
  lost = 0

  constructor(url: string) {
    this.#url = url
  }

  /** The first answer below 500. */
  async send(
    method: string,
    path: string,
    data?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return this.sendText(method, path, data && JSON.stringify({ data }), headers)
  }

  /** As `send`, with a text as the body. */
  async sendText(
    method: string,
    path: string,
    data?: string,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    for (;;) {
      const reply = await this.#once(method, path, data, headers).catch(() => undefined)
      if (reply && reply.status < 500 && reply.status !== 401) return reply
      if (reply?.status === 401) await this.#renewToken().catch(() => {})
      else this.lost += 1
      await sleep(retryAfterMs)
    }
  }

  /** An answer that must have this status. */
  async must(expected: number, method: string, path: string, data?: object): Promise<Any> {
    const { status, body } = await this.send(method, path, data)
    if (status !== expected) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    return body?.data
  }

  /** A write that must happen once: its key says that all of these requests are the same. */
  async once(expected: number, method: string, path: string, data: object): Promise<Any> {
    for (;;) {
      const { status, body } = await this.send(method, path, data, { 'idempotency-key': `${method} ${path}` })
      if (status === expected) return body.data
      if (status !== 409) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
      await sleep(retryAfterMs)
    }
  }

  async #once(method: string, path: string, data: string | undefined, headers: Record<string, string>) {
    const reply = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...headers },
      ...(data && { body: data }),
    })
    const text = await reply.text()
    return { status: reply.status, body: text ? JSON.parse(text) : undefined }
  }

  async #renewToken(): Promise<void> {
    const grant = { client_id: key.SUTLER_CLIENT_ID, client_secret: key.SUTLER_CLIENT_SECRET }
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...grant })
    const reply = await fetch(`${this.#url}/oauth/access_token`, { method: 'POST', body })
    this.#token = ((await reply.json()) as { readonly access_token: string }).access_token
  }
}
