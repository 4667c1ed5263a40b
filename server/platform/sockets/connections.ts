import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ClientGone } from '../faults.ts'

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

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborts when the client closes its connection, since no one then waits for a response. */
export function hangUpSignal(socket: Socket): AbortSignal {
  const cached = signals.get(socket)
  if (cached) return cached
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGone())
  if (socket.destroyed) abort()
  else socket.once('close', abort)
  signals.set(socket, controller.signal)
  return controller.signal
}

/** How long a process that stops waits for its clients. */
export interface ClosingLimits {
  /** For a request that may be on its way on an idle connection. */
  readonly idleMs: number
  /** For requests that are at work. */
  readonly requestsMs: number
}

/** Connections that take longer than this are closed. */
export const closingLimits: ClosingLimits = { idleMs: 300, requestsMs: 10_000 }
const lookEveryMs = 10

/**
 * While the server closes, it responds to requests and closes each connection after its response; otherwise clients
 * with open connections would keep it running. An idle connection may have a request on its way, and an early close
 * would lose the response. So idle connections, and those not accepted yet, are closed a moment later.
 */
export function closePolitely(server: FastifyInstance, limits: () => ClosingLimits): void {
  server.addHook('preClose', async () => {
    const http = server.server
    const { idleMs, requestsMs } = limits()
    setTimeout(() => http.closeAllConnections(), requestsMs).unref()
    if (!http.listening) return
    await acceptWaiting(http)
    // `close` of an HTTP server would also close idle connections.
    Server.prototype.close.call(http)
    for (let waitedMs = 0; waitedMs < idleMs && (await connections(http)) > 0; waitedMs += lookEveryMs) {
      await sleep(lookEveryMs)
    }
  })
}

/** The most turns to wait, even if connections continue to arrive. */
const turnsMax = 10_000

/** Waits until no more connections arrive: the event loop accepts one in each turn. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  // The first one only ends the current turn.
  await turn()
  for (let before = -1, turns = 0; accepted !== before && turns < turnsMax; turns++) {
    before = accepted
    await turn()
  }
  server.off('connection', count)
}

const connections = (server: Server) =>
  new Promise<number>((done) => server.getConnections((_error, n) => done(n)))
