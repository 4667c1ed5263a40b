import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { app } from '../../server/app.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { createStore } from '../../server/first-start.ts'
import { systemClock } from '../../server/kernel/clock.ts'
import type { Work } from '../../server/kernel/context.ts'
import { giveFirstDays } from '../../server/kernel/first-days.ts'
import { workOf } from '../../server/kernel/jobs.ts'
import { createFirstKey } from '../../server/keys/index.ts'
import { type Running, type Swaps, start } from '../../server/main.ts'
import { type Client, clientOf, type Reply, tokenOf } from './client.ts'

export type { Client, Reply }

/** A running server on a database of its own, with two stores and those who call them. */
export interface World {
  readonly url: string
  readonly server: Running
  readonly storeId: string
  /** client_credentials of the store. */
  readonly admin: Client
  /** implicit token of the store. */
  readonly shopper: Client
  /** client_credentials of another store. */
  readonly other: Client
  /** No token at all. */
  readonly nobody: Client
  /** The client id and secret behind `admin`. */
  readonly key: { readonly id: string; readonly secret: string }
  /** The client secret behind `other`. */
  readonly othersSecret: string
  clientWith(token: string | undefined): Client
  /** What jobs and rules are given, for what no API does. */
  readonly work: Work
  /** SQL on the world's own database, for what no API shows. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** SQL on the change feed, when all that was written is in it. */
  feed(text: string, values?: unknown[]): Promise<pg.QueryResult>
  close(): Promise<void>
}

export const testConfig = (postgres: string, database: string, more: Record<string, string> = {}): Config =>
  readConfig({
    DATABASE_URL: databaseUrl(postgres, database),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    // Where the tests' providers are.
    SUTLER_PROVIDER_NETWORKS: 'loopback',
    SUTLER_SECRET: 'a secret that only the tests know, long enough',
    SUTLER_FILES_DIR: join(tmpdir(), `sutler-files-of-${database}`),
    ...more,
    ...keyOf('first'),
  })

export const secretOf = (name: string) => `the secret of the key of ${name}, long enough`

const keyOf = (name: string) => ({
  SUTLER_CLIENT_ID: `client-of-${name}`,
  SUTLER_CLIENT_SECRET: secretOf(name),
})

export const databaseUrl = (postgres: string, database: string) =>
  postgres.replace(/@\/[^?]*/, `@/${database}`)

/** What a world has that others have not. */
interface Particulars extends Swaps {
  readonly env?: Record<string, string>
  /** Makes the tables of other modules, in a database that is migrated. */
  readonly sql?: string
}

/** Opens a world. Close it when the file's tests are done. */
export async function openWorld({ env, sql, ...swaps }: Particulars = {}): Promise<World> {
  const postgres = inject('postgres')
  const database = `world_${randomUUID().replaceAll('-', '')}`
  const root = new pg.Client(postgres)
  await root.connect()
  await root.query(`CREATE DATABASE ${database} TEMPLATE template_world`)
  const pool = new pg.Pool({ connectionString: databaseUrl(postgres, database), max: 2 })
  pool.on('error', () => {})
  if (sql) await pool.query(sql)
  const config = testConfig(postgres, database, env)
  const server = await start(config, swaps)
  const now = (swaps.clock ?? systemClock).now()
  const otherStore = await server.instance.database.transaction((connection) =>
    createStore(connection, 'Other', now),
  )
  await giveFirstDays(server.instance, swaps.modules ?? app)
  await createFirstKey(server.instance.database, otherStore, 'client-of-other', secretOf('other'), now)
  const { rows } = await pool.query('SELECT id FROM stores ORDER BY created_at, id LIMIT 1')

  const token = (name: string, grant: string) =>
    tokenOf(server.url, `client-of-${name}`, secretOf(name), grant)
  const clientWith = (bearer: string | undefined) => clientOf(server.url, bearer)
  return {
    url: server.url,
    server,
    storeId: rows[0].id as string,
    admin: clientWith(await token('first', 'client_credentials')),
    shopper: clientWith(await token('first', 'implicit')),
    other: clientWith(await token('other', 'client_credentials')),
    nobody: clientWith(undefined),
    othersSecret: secretOf('other'),
    key: { id: 'client-of-first', secret: secretOf('first') },
    clientWith,
    work: workOf(server.instance, { store: rows[0].id as string, by: 'tests request' }),
    sql: (text, values) => pool.query(text, values),
    feed: async (text, values) => {
      const { rows: stores } = await pool.query('SELECT id FROM stores')
      // One after the other, in transactions of their own: who holds several waits in a circle with the sequencer.
      for (const { id } of stores) await pool.query('SELECT sequence_store($1)', [id])
      return pool.query(text, values)
    },
    close: async () => {
      await pool.end()
      await server.stop()
      await root.query(`DROP DATABASE ${database} WITH (FORCE)`)
      await root.end()
      if (config.filesDir) rmSync(config.filesDir, { recursive: true, force: true })
    },
  }
}
