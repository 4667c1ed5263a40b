import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { inject } from 'vitest'
import { app } from '../../server/app.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { createStore } from '../../server/first-start.ts'
import { systemClock } from '../../server/kernel/clock.ts'
import type { Work } from '../../server/kernel/work/context.ts'
import { giveFirstDays } from '../../server/kernel/work/first-days.ts'
import { workOf } from '../../server/kernel/work/work-of.ts'
import { createFirstKey } from '../../server/keys/index.ts'
import { type Running, type Swaps, start } from '../../server/main.ts'
import { type Client, clientOf, hangUp, type Reply, tokenOf } from './client.ts'
import { databaseUrl, ownDatabase } from './own-database.ts'

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

/** What the run's databases and data directories were made with. */
export const secret = 'a secret that only the tests know, long enough'

export const testConfig = (postgres: string, database: string, more: Record<string, string> = {}): Config =>
  readConfig({
    DATABASE_URL: databaseUrl(postgres, database),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    // Where the tests' providers are.
    SUTLER_PROVIDER_NETWORKS: 'loopback',
    SUTLER_SECRET: secret,
    SUTLER_FILES_DIR: join(tmpdir(), `sutler-files-of-${database}`),
    ...more,
    ...keyOf('first'),
  })

export const secretOf = (name: string) => `the secret of the key of ${name}, long enough`

const keyOf = (name: string) => ({
  SUTLER_CLIENT_ID: `client-of-${name}`,
  SUTLER_CLIENT_SECRET: secretOf(name),
})

/** What a world has that others have not. */
interface Particulars extends Swaps {
  readonly env?: Record<string, string>
  /** Makes the tables of other modules, in a database that is migrated. */
  readonly sql?: string
}

/** Opens a world. Close it when the file's tests are done. */
export async function openWorld({ env, sql, ...swaps }: Particulars = {}): Promise<World> {
  const database = await ownDatabase()
  if (sql) await database.sql(sql)
  const config = testConfig(inject('postgres'), database.name, env)
  const server = await start(config, swaps)
  const now = (swaps.clock ?? systemClock).now()
  const otherStore = await server.instance.database.transaction((connection) =>
    createStore(connection, 'Other', now),
  )
  await giveFirstDays(server.instance, swaps.modules ?? app)
  await createFirstKey(server.instance.database, otherStore, 'client-of-other', secretOf('other'), now)
  const { rows } = await database.sql('SELECT id FROM stores ORDER BY created_at, id LIMIT 1')

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
    sql: database.sql,
    feed: async (text, values) => {
      const { rows: stores } = await database.sql('SELECT id FROM stores')
      // One after the other, in transactions of their own: who holds several waits in a circle with the sequencer.
      for (const { id } of stores) await database.sql('SELECT sequence_store($1)', [id])
      return database.sql(text, values)
    },
    close: async () => {
      hangUp()
      await server.stop()
      await database.drop()
      if (config.filesDir) rmSync(config.filesDir, { recursive: true, force: true })
    },
  }
}
