import { setPriority } from 'node:os'
import type { ClientBase } from 'pg'
import pg from 'pg'
import { atMost } from '../../at-most.ts'
import { Problem } from '../../errors.ts'

const waitMaxMs = 10_000

/** A limited resource: up to a fixed number use it at a time. The others wait in line, for a limited time. */
export class LimitedUse {
  #free: number
  readonly #line = new Set<() => void>()
  readonly #watch: (turn: Promise<void>) => Promise<void>

  /** `watch` is called with each turn that has to be waited for. */
  constructor(size: number, watch: (turn: Promise<void>) => Promise<void> = (turn) => turn) {
    this.#free = size
    this.#watch = watch
  }

  /** If `signal` aborts while it waits, the promise rejects with its reason. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#watch(this.#turn(signal))
    try {
      return await work()
    } finally {
      const [next] = this.#line
      if (next) next()
      else this.#free += 1
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      this.#line.delete(turn)
      resolve()
    }
    // Once a turn is granted it must be used: it would be lost for everyone else.
    const leave = (reason: unknown) => {
      if (this.#line.delete(turn)) reject(reason)
    }
    const hangUp = () => leave(signal.reason)
    const patience = setTimeout(
      () => leave(new Problem('unavailable', 'Too many lists are being searched; try again in a moment.')),
      waitMaxMs,
    )
    signal.addEventListener('abort', hangUp)
    this.#line.add(turn)
    try {
      await promise
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', hangUp)
    }
  }
}

/** Properties of the driver's connection that its types leave out. */
interface ConnectionDetails {
  readonly host: string
  readonly port: number
  readonly ssl: pg.ClientConfig['ssl']
  readonly processID: number
  readonly secretKey: number
}

interface Canceller extends pg.Connection {
  connect(...address: [path: string] | [port: number, host: string]): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

const cancellingMaxMs = 5_000

/**
 * Sends a cancel request on a connection of its own. The database closes that connection when it has accepted the
 * request.
 */
async function cancel(client: pg.ClientBase): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as ConnectionDetails
  const connection = new pg.Connection({ ssl } as pg.ConnectionConfig) as Canceller
  const closed = new Promise<void>((done, failed) => {
    connection.once('error', failed)
    connection.once('end', done)
  })
  const ask = () => connection.cancel(processID, secretKey)
  connection.once('connect', ssl ? () => connection.requestSsl() : ask)
  connection.once('sslconnect', ask)
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
  if (await atMost(cancellingMaxMs, closed)) return
  connection.stream.destroy()
  throw new Error('the database did not accept the cancel request in time')
}

/**
 * Ends the running statement of this connection as soon as `signal` aborts. Call the returned function after the
 * statement has ended, before sending another: it waits until the cancel request cannot end anyone else's statement. If
 * it throws, give up the connection.
 */
export function cancelWith(signal: AbortSignal, client: pg.ClientBase): () => Promise<void> {
  let cancelling: Promise<void> | undefined
  const begin = () => {
    cancelling = cancel(client).catch((cause: unknown) => {
      throw new Problem('unavailable', 'A statement could not be cancelled.', { cause })
    })
    // The function below throws the error; this prevents an unhandled rejection.
    cancelling.catch(() => {})
  }
  signal.addEventListener('abort', begin, { once: true })
  return async () => {
    signal.removeEventListener('abort', begin)
    await cancelling
  }
}

/** Gives a slow read about a tenth of the processor time of other work. */
const niceness = 10

/**
 * Lowers the priority of slow reads: the planner uses one processor for them, and the system schedules their process
 * after others. If the system refuses this, they only run at the usual priority.
 */
export function giveWay(slowRead: ClientBase): void {
  slowRead.query('SET max_parallel_workers_per_gather = 0').catch(() => {})
  try {
    setPriority((slowRead as unknown as { processID: number }).processID, niceness)
  } catch {}
}
