import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../../server/platform/postgres/embedded.ts'
import { copyDataDirectory } from './copy-data-directory.ts'
import { freePort } from './free-port.ts'

/** A PostgreSQL of a pair. Its address stays the same when it starts again. */
export interface Half {
  readonly url: string
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Sends all of its processes a signal. */
  signal(signal: NodeJS.Signals): void
  /** After a kill. */
  startAgain(): Promise<void>
}

/** A primary, and a standby that streams from it. */
export interface Pair {
  readonly primary: Half
  readonly standby: Half
  stop(): Promise<void>
}

class OnePostgres implements Half {
  readonly #home: string
  readonly #settings: Readonly<Record<string, string | number>>
  #running: EmbeddedPostgres | undefined
  #port = 0

  constructor(home: string, settings: Readonly<Record<string, string | number>>) {
    this.#home = home
    this.#settings = settings
  }

  async start(): Promise<this> {
    this.#port ||= await freePort()
    this.#running = await startEmbedded(this.#home, {
      ...{ fsync: 'off', shared_buffers: '32MB', listen_addresses: '127.0.0.1', port: this.#port },
      ...this.#settings,
    })
    return this
  }

  get url(): string {
    return `postgres://sutler@127.0.0.1:${this.#port}/sutler`
  }

  async sql(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    const client = new pg.Client(this.url)
    await client.connect()
    try {
      return await client.query(text, values)
    } finally {
      await client.end()
    }
  }

  signal(signal: NodeJS.Signals): void {
    const [pid = ''] = readFileSync(join(this.#home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    for (const one of [pid, ...children]) process.kill(Number(one), signal)
  }

  async startAgain(): Promise<void> {
    await this.#running?.stop()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

/** Both have a migrated database with a store. The standby begins as a copy of the stopped primary. */
export async function startPair(settings: Readonly<Record<string, string | number>> = {}): Promise<Pair> {
  const [home, homeOfStandby] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'sutler-pair-'))) as [
    string,
    string,
  ]
  copyDataDirectory(inject('dataDirectory'), home)
  copyDataDirectory(inject('dataDirectory'), homeOfStandby)
  writeFileSync(join(homeOfStandby, 'postgres', 'standby.signal'), '')
  const primary = await new OnePostgres(home, settings).start()
  const standby = await new OnePostgres(homeOfStandby, {
    primary_conninfo: primary.url,
    hot_standby_feedback: 'on',
    ...settings,
  }).start()
  return {
    primary,
    standby,
    async stop() {
      await standby.stop()
      await primary.stop()
    },
  }
}
