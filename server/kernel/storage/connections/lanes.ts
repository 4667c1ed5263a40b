import type pg from 'pg'
import type { Reading } from '../../metrics/metrics.ts'
import { readPool } from './observe.ts'

interface SharedLane {
  client: pg.Client | undefined
  underWay: number
}

/** Shared connections: each statement is sent without waiting for the responses to earlier ones. */
export class Lanes {
  readonly #lanes: readonly SharedLane[]
  readonly #open: () => pg.Client
  readonly #prepare: (client: pg.Client) => void

  /** `open` creates a pipelined client, which connects by itself. `prepare` sends its first statement. */
  constructor(size: number, open: () => pg.Client, prepare: (client: pg.Client) => void = () => {}) {
    this.#lanes = Array.from({ length: size }, () => ({ client: undefined, underWay: 0 }))
    this.#open = open
    this.#prepare = prepare
  }

  /**
   * Sends on the connection with the shortest queue. After a failure that `isLost`, the client does not respond: the
   * next statement opens another one.
   */
  async send<T>(send: (client: pg.Client) => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
    const lane = this.#lanes.reduce((best, one) => (one.underWay < best.underWay ? one : best))
    lane.client ??= this.#connect(lane)
    const { client } = lane
    writeOnce(client)
    lane.underWay += 1
    try {
      return await send(client)
    } catch (error) {
      if (isLost(error)) this.#giveUp(client)
      throw error
    } finally {
      lane.underWay -= 1
    }
  }

  #giveUp(client: pg.Client): void {
    for (const lane of this.#lanes) if (lane.client === client) lane.client = undefined
    const { stream } = (client as unknown as { connection: pg.Connection }).connection
    stream.destroy()
  }

  #connect(lane: SharedLane): pg.Client {
    const client = this.#open()
    const forget = () => {
      if (lane.client === client) lane.client = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    client.connect().catch(forget)
    this.#prepare(client)
    return client
  }

  /** Its connections, for metrics. A statement never waits for one. */
  readAs(pool: string): readonly Reading[] {
    const open = this.#lanes.filter(({ client }) => client)
    const active = open.filter(({ underWay }) => underWay > 0).length
    return readPool(pool, { active, idle: open.length - active, waiting: 0 })
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes.map(({ client }) => client?.end()))
  }
}

/** Sends all statements of one turn of the event loop in a single write. */
function writeOnce(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
