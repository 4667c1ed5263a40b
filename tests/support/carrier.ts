import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The fault of one request: none, or a failure before or after its effect. */
export type Fault = 'none' | 'hang before' | 'hang after' | 'fail before' | 'fail after'

/**
 * A server elsewhere whose requests have effects that must happen once. Like a payment service, it
 * recognises a repeated request by its key, and repeats the response without another effect.
 */
export interface Carrier {
  readonly url: string
  /** The requests of each key, in the order of the first ones. */
  readonly requests: ReadonlyMap<string, number>
  /** The bodies that had an effect. */
  readonly effects: readonly unknown[]
  /** The faults of the next requests, one each. */
  readonly faults: Fault[]
  /** The fault of a request by its body, where none is next. */
  faultOf: (body: unknown) => Fault
  /** Called when a request arrives, before its effect. */
  onRequest: (key: string) => Promise<void> | void
  /** Answers the hanging requests. */
  letGo(): void
  close(): Promise<void>
}

export async function openCarrier(): Promise<Carrier> {
  const requests = new Map<string, number>()
  const tracking = new Map<string, string>()
  const effects: unknown[] = []
  const faults: Fault[] = []
  let hanging: (() => void)[] = []
  const takeEffect = (key: string, body: string) => {
    if (tracking.has(key)) return
    effects.push(JSON.parse(body))
    tracking.set(key, `T${effects.length}`)
  }
  const end = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const server = createServer(async (request, response) => {
    const key = String(request.headers['idempotency-key'])
    requests.set(key, (requests.get(key) ?? 0) + 1)
    let body = ''
    for await (const chunk of request) body += chunk
    await carrier.onRequest(key)
    const fault = faults.shift() ?? carrier.faultOf(JSON.parse(body))
    if (fault === 'fail before') return end(response, 500, {})
    if (fault === 'hang before') await new Promise<void>((done) => hanging.push(done))
    takeEffect(key, body)
    if (fault === 'fail after') return end(response, 500, {})
    if (fault === 'hang after') await new Promise<void>((done) => hanging.push(done))
    return end(response, 200, { tracking: tracking.get(key) })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const carrier: Carrier = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    effects,
    faults,
    faultOf: () => 'none',
    onRequest: () => {},
    letGo() {
      for (const done of hanging.splice(0)) done()
      hanging = []
    },
    async close() {
      carrier.letGo()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return carrier
}
