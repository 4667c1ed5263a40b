import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type IStompSocket, StompSocketState } from '@stomp/stompjs'
import { cloudEvent, tooLong } from './cloud-event.ts'
import {
  deliveredResult,
  failedResult,
  type Limits,
  type Result,
  type StompTarget,
  type TargetMessage,
} from './message.ts'
import type { Network } from './network.ts'

const usualPort = { plain: 61613, secure: 61614 } as const

/** Sends a message to the first broker that answers, and waits for the receipt. */
export async function sendToStomp(
  network: Network,
  target: StompTarget,
  message: TargetMessage,
  limits: Limits,
): Promise<Result> {
  const body = cloudEvent(message)
  if (body === undefined) return failedResult(tooLong, { isFinal: true })
  // The frame that begins a connection has no way to escape these.
  const values = [target.destination, target.username ?? '', target.password ?? '']
  if (values.some((value) => /[\r\n\0]/.test(value)))
    return failedResult('The destination, the user name and the password must be one line each.', {
      isFinal: true,
    })
  let failure: unknown
  for (const address of target.addresses) {
    let socket: Socket
    try {
      socket = await connectTo(network, address, limits.signal)
    } catch (error) {
      failure = error
      if (limits.signal.aborted) break
      continue
    }
    try {
      return await sendFrame(socket, address, target, message.eventId, body, limits.signal)
    } finally {
      socket.destroy()
    }
  }
  throw failure ?? new Error('The integration has no address of a broker.')
}

async function connectTo(network: Network, address: string, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port } = new URL(address)
  network.mustAllow(hostname)
  signal.throwIfAborted()
  const host = hostname.replace(/^\[|\]$/g, '')
  const isSecure = ['stomp+ssl:', 'ssl:', 'stomps:'].includes(protocol)
  const options = {
    ...{ host, port: Number(port) || usualPort[isSecure ? 'secure' : 'plain'] },
    lookup: network.lookup,
  }
  const socket = isSecure
    ? connectTls({ ...options, ...(!isIP(host) && { servername: host }) })
    : connect(options)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(isSecure ? 'secureConnect' : 'connect', resolve)
  // Stays, so that a late failure of a connection that nobody needs ends nothing else.
  socket.on('error', reject)
  const giveUp = () => socket.destroy(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', giveUp))
  await promise
  return socket
}

async function sendFrame(
  socket: Socket,
  address: string,
  { destination, username, password }: StompTarget,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<Result> {
  const { Client } = await import('@stomp/stompjs')
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const client = new Client({
    webSocketFactory: () => tcpStompSocket(socket, address),
    ...{ reconnectDelay: 0, heartbeatIncoming: 0, heartbeatOutgoing: 0 },
    connectHeaders: {
      host: new URL(address).hostname,
      ...(username !== undefined && { login: username }),
      ...(password !== undefined && { passcode: password }),
    },
    onConnect: () => {
      client.watchForReceipt(id, () => resolve(deliveredResult(200, '')))
      // Without `persistent`, some brokers lose messages when they stop.
      const headers = { receipt: id, persistent: 'true', 'content-type': 'application/json' }
      client.publish({ destination, headers, body })
    },
    onStompError: ({ headers, body: details }) =>
      resolve(
        failedResult(`The broker answered with an error: ${headers.message ?? 'without a message'}`, {
          body: details.replaceAll('\0', '\uFFFD').slice(0, 1024),
        }),
      ),
    onWebSocketError: (error: Error) => reject(error),
    onWebSocketClose: () =>
      reject(
        signal.aborted ? signal.reason : new Error('The broker closed the connection without a receipt.'),
      ),
  })
  client.activate()
  try {
    return await promise
  } finally {
    void client.deactivate({ force: true })
  }
}

/** What brokers say before a receipt is a few hundred bytes. */
const incomingBytesMax = 64 * 1024

/** A connection to a broker, in the form of the web sockets that the library of STOMP expects. */
function tcpStompSocket(socket: Socket, url: string): IStompSocket {
  let state = StompSocketState.OPEN
  let bytes = 0
  const shape: IStompSocket = {
    url,
    onclose: undefined,
    onerror: undefined,
    onmessage: undefined,
    onopen: undefined,
    get readyState() {
      return state
    },
    send: (data) => void socket.write(data as string | Uint8Array),
    close: () => void socket.end(),
    terminate: () => void socket.destroy(),
  }
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > incomingBytesMax) socket.destroy(new Error('The broker sends more than a receipt.'))
    else shape.onmessage?.({ data: Uint8Array.from(chunk as Buffer).buffer })
  })
  socket.on('error', (error) => shape.onerror?.(error))
  socket.on('close', () => {
    state = StompSocketState.CLOSED
    shape.onclose?.({})
  })
  return shape
}
