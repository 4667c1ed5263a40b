import { Server } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** What takes longer is cut off. */
const closingMaxMs = 10_000
/** As long a request may be on its way on a connection that is kept open. */
const onTheWayMs = 300
const lookEveryMs = 10

/**
 * While it closes, the server answers what it is asked, and lets each connection go with its answer: a client that
 * keeps connections open would otherwise keep the server up. An idle one may have its next request on the way, or in
 * the machine already, and whoever sent it would lose the answer: so idle ones are closed a moment later. So it is with
 * connections that are not accepted yet.
 */
export function closePolitely(server: FastifyInstance): void {
  server.addHook('preClose', async () => {
    const http = server.server
    setTimeout(() => http.closeAllConnections(), closingMaxMs).unref()
    if (!http.listening) return
    await acceptWaiting(http)
    // Not that of HTTP servers, which closes idle connections too.
    Server.prototype.close.call(http)
    for (let waitedMs = 0; waitedMs < onTheWayMs && (await connections(http)) > 0; waitedMs += lookEveryMs) {
      await sleep(lookEveryMs)
    }
  })
}

/** However many connections there are that want in. */
const turnsMax = 10_000

/** The event loop accepts one connection in each of its turns: goes on until none has come in one. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  // The first ends the turn that it is called in.
  await turn()
  for (let before = -1, turns = 0; accepted !== before && turns < turnsMax; turns++) {
    before = accepted
    await turn()
  }
  server.off('connection', count)
}

const connections = (server: Server) =>
  new Promise<number>((done) => server.getConnections((_error, n) => done(n)))
