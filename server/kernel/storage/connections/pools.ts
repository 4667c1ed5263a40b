import pg from 'pg'
import type { Reading } from '../../metrics/metrics.ts'
import { nameClient, readPool } from './observe.ts'

/** The pools of one database, each with its name in metrics. */
export class Pools {
  readonly #config: pg.ClientConfig
  readonly #names = new Map<pg.Pool, string>()

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /** `other` replaces parts of the configuration. */
  open(name: string, max: number, other: pg.ClientConfig = {}): pg.Pool {
    const pool = new pg.Pool({ ...this.#config, max, idleTimeoutMillis: 60_000, ...other })
    this.#names.set(pool, name)
    pool.on('connect', (client) => nameClient(client, name))
    // The pool replaces an idle connection that breaks; without a listener the error would end the process.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }

  nameOf(pool: pg.Pool): string {
    return this.#names.get(pool) ?? ''
  }

  /** For metrics: its connections, and who waits for one. */
  read(): readonly Reading[] {
    return [...this.#names].flatMap(([{ totalCount, idleCount: idle, waitingCount }, name]) =>
      readPool(name, { active: totalCount - idle, idle, waiting: waitingCount }),
    )
  }

  end(): Promise<unknown> {
    return Promise.all([...this.#names.keys()].map((pool) => pool.end()))
  }
}
