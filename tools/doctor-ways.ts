import type { Config } from '../server/config.ts'
import { poolerAdvice, wayOf } from '../server/kernel/storage/connections/pooler.ts'
import { connectionsOf, Database } from '../server/kernel/storage/database.ts'
import { primaryOf, standingOf, whyNot } from '../server/kernel/storage/replicas/position.ts'
import { type Examination, finding } from './finding.ts'

/** What is between the server and its PostgreSQL, and beside it: a pooler, replicas. */
export async function ways(primary: Database, config: Config): Promise<readonly Examination[]> {
  const { databaseUrl, directDatabaseUrl, replicaUrls = [] } = config
  const replicas = replicaUrls.map((url, i) =>
    withOne(url, (one) => replica(`replica ${i + 1}`, one, primary)),
  )
  return [
    ...(databaseUrl === undefined ? [] : await pooler(databaseUrl, config)),
    ...(directDatabaseUrl === undefined ? [] : [await withOne(directDatabaseUrl, direct)]),
    ...(await Promise.all(replicas)),
  ]
}

async function withOne<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database(url, 1)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Nothing if there is none. */
async function pooler(url: string, config: Config): Promise<readonly Examination[]> {
  return withOne(url, async ({ pool }) => {
    const way = await wayOf(pool).catch(reasonOf)
    if (way === 'direct') {
      return config.directDatabaseUrl === undefined
        ? []
        : [finding('pooler', 'DATABASE_URL leads to PostgreSQL without a pooler')]
    }
    if (typeof way !== 'string') return [finding('pooler', way.reason, 'DATABASE_URL must answer', 'fault')]
    if (config.directDatabaseUrl === undefined) {
      const advice = 'unless it is in session mode, set SUTLER_DIRECT_DATABASE_URL to PostgreSQL itself'
      return [finding('pooler', 'DATABASE_URL leads through a pooler', advice)]
    }
    if (way === 'drops statements')
      return [finding('pooler', 'it does not keep prepared statements', poolerAdvice, 'fault')]
    return [finding('pooler', 'it keeps prepared statements'), ...(await sizes(url, config))]
  })
}

/** The settings of pgbouncer, if the user of DATABASE_URL may read them. */
async function sizes(url: string, config: Config): Promise<readonly Examination[]> {
  // Its console is a database of that name.
  const console = url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, '$1pgbouncer')
  return withOne(console, async ({ pool }) => {
    const show = async (what: string) => (await pool.query<Record<string, string>>(`SHOW ${what}`)).rows
    const rows = await show('CONFIG').catch(() => undefined)
    if (!rows) {
      const advice = 'add the user of DATABASE_URL to stats_users in pgbouncer to have its sizes checked'
      return [finding('pooler sizes', 'not known', advice)]
    }
    const [{ version = 'pgbouncer' } = {}] = await show('VERSION').catch(() => [])
    const { max_client_conn, default_pool_size, max_prepared_statements, pool_mode } = Object.fromEntries(
      rows.map(({ key = '', value = '' }) => [key, value]),
    )
    const says = `${version}: pool_mode ${pool_mode}, default_pool_size ${default_pool_size}, max_client_conn ${max_client_conn}, max_prepared_statements ${max_prepared_statements}`
    const perProcess = connectionsOf(config.databaseConnections)
    if (Number(max_client_conn) < perProcess)
      return [
        finding('pooler sizes', says, `a process has ${perProcess} clients: raise max_client_conn`, 'fault'),
      ]
    const isSmall = Number(default_pool_size) < config.databaseConnections
    return [finding('pooler sizes', says, isSmall && 'requests wait for each other: raise default_pool_size')]
  })
}

async function direct({ pool }: Database): Promise<Examination> {
  const way = await wayOf(pool).catch(reasonOf)
  const subject = 'direct connection'
  if (way === 'direct') return finding(subject, 'SUTLER_DIRECT_DATABASE_URL leads to PostgreSQL')
  if (typeof way !== 'string')
    return finding(subject, way.reason, 'SUTLER_DIRECT_DATABASE_URL must answer', 'fault')
  return finding(
    subject,
    'SUTLER_DIRECT_DATABASE_URL leads through a pooler',
    'unless it is in session mode, name PostgreSQL itself: jobs would wait, and locks be lost',
  )
}

async function replica(subject: string, database: Database, primary: Database): Promise<Examination> {
  try {
    const position = await primaryOf(primary)
    const standing = await standingOf(database)
    const fault = whyNot(position, standing)
    if (fault !== undefined) return finding(subject, fault, 'it serves no reads', 'fault')
    const lag = position.bytes - (standing.replayed ?? 0n)
    return finding(
      subject,
      `a standby, ${lag > 0n ? lag : 0n} bytes behind`,
      !standing.hasFeedback && 'exports do not go there: set hot_standby_feedback = on',
    )
  } catch (error) {
    return finding(subject, reasonOf(error).reason, 'it serves no reads until it answers', 'fault')
  }
}

function reasonOf(error: unknown): { readonly reason: string } {
  const { cause, message, code } = error as Error & { code?: string }
  return { reason: (cause instanceof Error ? cause.message : message) || code || 'it does not answer' }
}
