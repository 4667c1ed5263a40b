import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The requests of a connection that wait for the answer to the one before them, in their order. */
const lines = new WeakMap<Socket, (() => void)[]>()

/** No client sends so many requests without waiting for answers. */
const waitingMax = 100

/**
 * Begins a request when the client has taken the answer to the one before it on the same connection. Node would begin
 * all that one packet holds, a thousand and more, and keep their answers for a client that takes none.
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
