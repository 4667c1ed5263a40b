import { Agent, request } from 'node:http'
import type { OwnServer } from '../own-server.ts'

/** A client that costs little beside the server that it calls: `fetch` takes several times as long. */
export interface Client {
  /** The body of a response, whose status must be below 300. */
  send(method: string, path: string, body?: string): Promise<string>
  /** Runs `act` that many times, `atOnce` at a time. */
  each(times: number, act: (i: number) => Promise<unknown>): Promise<void>
  close(): void
}

export function openClient({ url, token }: Pick<OwnServer, 'url' | 'token'>, atOnce: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const { hostname, port } = new URL(url)
  const headers = { authorization: `Bearer ${token}` }
  return {
    send: (method, path, body) =>
      new Promise((done, fail) => {
        const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        const sent = request({
          agent,
          hostname,
          port,
          method,
          path,
          headers: { ...headers, ...type, ...length },
        })
        sent.once('error', fail)
        sent.once('response', (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.once('error', fail)
          response.once('end', () => {
            const text = Buffer.concat(parts).toString()
            if ((response.statusCode ?? 500) < 300) done(text)
            else fail(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
          })
        })
        sent.end(body)
      }),
    async each(times, act) {
      let next = 0
      const work = async () => {
        while (next < times) await act(next++)
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    },
    close: () => agent.destroy(),
  }
}
