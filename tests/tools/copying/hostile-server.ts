import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of this API that answers as a test says. It gives tokens, and remembers what it was asked. */
export interface HostileServer {
  readonly url: string
  readonly requests: readonly { readonly method: string; readonly path: string; readonly token: string }[]
  answer: (request: IncomingMessage, response: ServerResponse) => void
  close(): Promise<void>
}

export async function openHostileServer(host = '127.0.0.1'): Promise<HostileServer> {
  const requests: { method: string; path: string; token: string }[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    // What remains of a request whose response is broken off.
    request.on('error', () => {}).resume()
    if (path === '/oauth/access_token' && hostile.givesTokens)
      return sendJson(response, { access_token: 'a-token', expires_in: 3600 })
    requests.push({ method, path, token: headers.authorization ?? '' })
    hostile.answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  const hostile = {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    givesTokens: true,
    answer: (_request: IncomingMessage, response: ServerResponse) => sendJson(response, { data: [] }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return hostile
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
