import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A bank that takes no card, where the server asks Stripe. Nothing leaves this machine. */
export interface DecliningBank {
  readonly url: string
  close(): void
}

const error = {
  ...{ type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
  message: 'Your card has insufficient funds.',
}

export async function openDecliningBank(): Promise<DecliningBank> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(402, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
