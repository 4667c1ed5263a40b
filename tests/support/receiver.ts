import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ownCertificate } from './own-certificate.ts'

/** A request that a receiver got, whole. */
export interface ReceivedRequest {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  readonly body: any
}

/** A server of a merchant on this machine, which receives webhooks. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  /** How many connections there were. */
  connections(): number
  /** How it answers; 200 unless a test says otherwise. */
  answer: (received: ReceivedRequest, response: ServerResponse) => void
  /** Forgets what it received. */
  forget(): void
  close(): Promise<void>
}

export async function openReceiver(
  where: { readonly host?: string; readonly port?: number; readonly isSecure?: boolean } = {},
): Promise<Receiver> {
  const { host = '127.0.0.1', port = 0, isSecure = false } = where
  let connections = 0
  const requests: ReceivedRequest[] = []
  const listener: RequestListener = async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { url: path = '', method = '', headers } = request
    const received = { path, method, headers, text, body: text ? JSON.parse(text) : undefined }
    requests.push(received)
    receiver.answer(received, response)
  }
  const server = isSecure ? createSecureServer(ownCertificate, listener) : createServer(listener)
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, host, done)
  })
  const bound = (server.address() as AddressInfo).port
  const receiver: Receiver = {
    url: `${isSecure ? 'https' : 'http'}://${host}:${bound}`,
    ...{ port: bound, requests, connections: () => connections },
    answer: (_received, response) => void response.end('ok'),
    forget: () => void requests.splice(0),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return receiver
}
