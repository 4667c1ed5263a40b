import type { Socket } from 'node:net'
import { type IStompSocket, StompSocketState } from '@stomp/stompjs'

/** What brokers say before a receipt is a few hundred bytes. */
const incomingBytesMax = 64 * 1024

/** A connection to a broker, in the form of the web sockets that the library of STOMP expects. */
export function tcpStompSocket(socket: Socket, url: string): IStompSocket {
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
