import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartupError } from '../../platform/faults.ts'
import { sqlState } from '../storage/database.ts'
import type { Migration, MigrationStep } from './migrations.ts'

/** While a statement waits for a lock of a table, all later requests for the table wait behind it. */
export const lockTimeoutMs = 250
const retryAfterMs = { min: 250, max: 5000 }
const patienceMs = 600_000

/** Records a migration as applied, in the transaction that completes it. */
export const record = (client: pg.ClientBase, name: string, step: MigrationStep): Promise<unknown> =>
  client.query('INSERT INTO migrations (name, applied_at, step) VALUES ($1, now(), $2)', [name, step])

/** Applies a migration. If the process is killed meanwhile, the next one that applies it completes it. */
export async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(`SELECT set_config('application_name', $1, false)`, [`sutler ${migration.name}`])
  try {
    await (concurrentIndexIn(migration.sql)
      ? createIndex(client, migration)
      : withLocks(client, migration.name, async () => {
          await client.query(migration.sql)
          await record(client, migration.name, migration.step)
        }))
  } finally {
    await client.query('RESET application_name').catch(() => {})
  }
}

/**
 * Runs work in a transaction that waits only shortly for each lock, and again until it gets its locks. Meanwhile
 * requests go on.
 */
export async function withLocks<T>(
  client: pg.ClientBase,
  name: string,
  work: () => Promise<T>,
  retry = retryAfterMs,
): Promise<T> {
  const beganMs = performance.now()
  for (let waitMs = retry.min; ; waitMs = Math.min(2 * waitMs, retry.max)) {
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
      const result = await work()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      // A lock timeout, or a deadlock with a request.
      if (!['55P03', '40P01'].includes(sqlState(error) ?? '')) throw error
      if (performance.now() - beganMs > patienceMs) {
        throw new StartupError(
          `the migration ${name} does not get its locks: ${await describeOldest(client)}: end it, and start again`,
        )
      }
    }
    await sleep(waitMs)
  }
}

/** What most likely holds the locks. */
async function describeOldest(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(`SELECT pid, application_name AS app,
      round(extract(epoch FROM now() - xact_start)) AS seconds FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
    ORDER BY xact_start LIMIT 1`)
  const [oldest] = rows
  if (!oldest) return 'other transactions hold them'
  return `the oldest transaction is that of process ${oldest.pid} (${oldest.app}), for ${oldest.seconds} s`
}

/** The index that a migration creates beside the requests of the shop. It is the only statement of its file. */
export const concurrentIndexIn = (sql: string): string | undefined =>
  /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)/m.exec(sql)?.[1]

/** Not in a transaction: what a killed process leaves is an invalid index, which is dropped first. */
async function createIndex(client: pg.ClientBase, { name, step, sql }: Migration): Promise<void> {
  const index = concurrentIndexIn(sql) as string
  const { rows } = await client.query(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  )
  if (rows[0]?.valid === false) await client.query(`DROP INDEX CONCURRENTLY ${index}`)
  if (rows[0]?.valid !== true) await client.query(sql)
  await record(client, name, step)
}
