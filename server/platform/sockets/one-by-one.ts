import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The waiting requests of each connection, in order. */
const lines = new WeakMap<Socket, (() => void)[]>()

/** No real client sends so many requests without waiting for responses. */
const waitingMax = 100

/**
 * Begins a request when the client has received the response to the one before it on the same connection. Node would
 * begin all requests of a packet, more than a thousand, and keep the responses for a client that reads none.
 */
export function inOrder(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
  const { socket } = request
  const line = lines.get(socket)
  const run = () => {
    response.once('close', () => next(socket))
    begin()
  }
  if (!line) {
    lines.set(socket, [])
    run()
  } else if (line.length < waitingMax) line.push(run)
  else socket.destroy()
}

function next(socket: Socket): void {
  const run = socket.destroyed ? undefined : lines.get(socket)?.shift()
  if (run) run()
  else lines.delete(socket)
}
