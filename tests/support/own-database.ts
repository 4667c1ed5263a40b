import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { citusUrl } from './citus-url.ts'

/** A separate database on the run's PostgreSQL. */
export interface OwnDatabase {
  readonly name: string
  readonly url: string
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  drop(): Promise<void>
}

/** A migrated database with a store: see template-database.ts. */
export const ownDatabase = (): Promise<OwnDatabase> => make('TEMPLATE template_world')

/** An empty database, for tests of the first start. */
export const emptyDatabase = (): Promise<OwnDatabase> => make('')

/** The URL of another database of the same PostgreSQL. */
export const databaseUrl = (postgres: string, database: string) =>
  postgres.replace(/(@[^/]*\/)[^?]*/, `$1${database}`)

/** The same URL, for a server on Citus: it sends every statement to the node of the store, as to another one. */
const sendingUrl = (url: string): string => `${url}?options=-c%20citus.enable_local_execution%3Doff`

/** Tests may start a PostgreSQL of their own, too. */
const isOnCitus = (url: string): boolean =>
  citusUrl !== undefined && databaseUrl(url, '') === databaseUrl(citusUrl, '')

/**
 * Settings for a database of the run's PostgreSQL: through a pooler with SUTLER_TEST_POOLED, with a replica with
 * SUTLER_TEST_REPLICATED, and on Citus with SUTLER_TEST_CITUS_URL. See template-database.ts.
 */
export function wayTo(url: string): Readonly<Record<string, string>> {
  const [, name = '', where] = /@\/([^?]*)(.*)/.exec(url) ?? []
  const [pooler, behind] = (process.env.SUTLER_TEST_POOLER ?? '').split(' ')
  const [standby = '', follows] = (process.env.SUTLER_TEST_STANDBY ?? '').split(' ')
  return {
    ...(pooler && where === behind
      ? { DATABASE_URL: databaseUrl(pooler, name), SUTLER_DIRECT_DATABASE_URL: url }
      : { DATABASE_URL: isOnCitus(url) ? sendingUrl(url) : url }),
    ...(standby && where === follows && { SUTLER_REPLICAS: databaseUrl(standby, name) }),
  }
}

async function make(from: string): Promise<OwnDatabase> {
  const postgres = inject('postgres')
  const name = `own_${randomUUID().replaceAll('-', '')}`
  const root = new pg.Client(postgres)
  await root.connect()
  await root.query(`CREATE DATABASE ${name} ${from}`)
  const url = databaseUrl(postgres, name)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  // Rows that a test inserts have the times that it says, however old.
  pool.on('connect', (client) => void client.query('SET sutler.keep_times = on'))
  pool.on('error', () => {})
  return {
    name,
    url,
    sql: (text, values) => pool.query(text, values),
    async drop() {
      await pool.end()
      await root.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await root.end()
    },
  }
}
