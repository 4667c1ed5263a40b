import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import stompit, { type IncomingFrame } from 'stompit'
import { ownCertificate } from './own-certificate.ts'

/** What a broker does wrong with the next message. */
export type BrokerFault = 'no receipt' | 'close' | 'error' | 'endless' | 'not stomp'

export interface StompBroker {
  readonly address: string
  /** The messages of each destination, in their order. */
  readonly messages: readonly { readonly destination: string; readonly body: string; readonly id: string }[]
  connections(): number
  faults: BrokerFault[]
  close(): Promise<void>
}

export const brokerUser = { login: 'sutler', passcode: 'a: passcode' }

/**
 * A broker of STOMP 1.2 (https://stomp.github.io/stomp-specification-1.2.html), as far as senders see one. Another
 * library than the server's reads and writes its frames.
 */
export async function openStompBroker(isSecure = false): Promise<StompBroker> {
  const messages: { destination: string; body: string; id: string }[] = []
  const sockets = new Set<Socket>()
  let connections = 0

  const serve = (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    const fault = broker.faults[0]
    if (fault === 'not stomp' || fault === 'endless') {
      broker.faults.shift()
      if (fault === 'not stomp') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      const more = () => void (socket.writable && socket.write('x'.repeat(16_384), () => setImmediate(more)))
      return more()
    }
    const outgoing = new stompit.OutgoingFrameStream(socket)
    const say = (command: string, headers: Record<string, string>, body = '') =>
      outgoing.frame(command, headers).end(body)
    // A broker closes the connection behind an error, of which the library writes the last bytes a moment later.
    const refuse = (message: string, body: string) => {
      say('ERROR', { message }, body)
      setTimeout(() => socket.end(), 50)
    }
    const incoming = socket.pipe(new stompit.IncomingFrameStream())
    incoming.on('error', () => socket.destroy())
    void (async () => {
      for await (const frame of incoming as AsyncIterable<IncomingFrame>) {
        const { command, headers } = frame
        let body = ''
        for await (const chunk of frame.setEncoding('utf8')) body += chunk
        if (command === 'CONNECT' || command === 'STOMP') {
          const { login, passcode } = headers
          if (login !== brokerUser.login || passcode !== brokerUser.passcode) {
            refuse('Bad CONNECT', 'Access refused for user')
            continue
          }
          say('CONNECTED', { version: '1.2', server: 'double/1.0' })
          incoming.setVersion('1.2')
          outgoing.setVersion('1.2')
        } else if (command === 'SEND') {
          const now = broker.faults.shift()
          if (now === 'close') return socket.destroy()
          if (now === 'error') {
            refuse('queue full', 'No space')
            continue
          }
          const id = JSON.parse(body).id as string
          messages.push({ destination: headers.destination ?? '', body, id })
          if (now !== 'no receipt' && headers.receipt) say('RECEIPT', { 'receipt-id': headers.receipt })
        } else if (command === 'DISCONNECT' && headers.receipt) {
          say('RECEIPT', { 'receipt-id': headers.receipt })
        }
      }
    })().catch(() => socket.destroy())
  }

  const server = isSecure ? createSecureServer(ownCertificate, serve) : createServer(serve)
  server.on('tlsClientError', () => {})
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const broker: StompBroker = {
    address: `${isSecure ? 'stomp+ssl' : 'stomp'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ messages, connections: () => connections, faults: [] },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
  return broker
}
