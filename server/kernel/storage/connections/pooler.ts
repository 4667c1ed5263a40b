import type pg from 'pg'
import { StartupError } from '../../../platform/faults.ts'
import { sqlState } from '../database.ts'

/** What is between this process and a session of PostgreSQL. With `drops statements` it cannot be used. */
type Way = 'direct' | 'keeps statements' | 'drops statements'

/** What to set where a pooler drops named statements. */
export const poolerAdvice =
  'use pgbouncer 1.21 or newer with pool_mode = transaction and max_prepared_statements above 0'

const name = 'sutler_probe'

/** A pooler that keeps a statement gives it a name of its own in each session. */
const text = `SELECT pg_backend_pid(),
  coalesce((SELECT bool_or(name = '${name}') FROM pg_prepared_statements), false)`

/** PostgreSQL has the statement of someone else under this name, or does not have it. */
const isOtherSession = (error: unknown) => ['42P05', '26000'].includes(sqlState(error) ?? '')

/** Finds out whether there is a pooler, and whether it keeps the named statements of its clients. */
export async function wayOf(pool: pg.Pool): Promise<Way> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<[number, boolean]>({ name, text, rowMode: 'array' })
    const [pid, hasOwnName] = rows[0] ?? []
    // A pooler gives each client a key of its own.
    if (pid === (client as unknown as { processID: number }).processID) return 'direct'
    return hasOwnName ? 'drops statements' : 'keeps statements'
  } catch (error) {
    if (isOtherSession(error)) return 'drops statements'
    throw error
  } finally {
    client.release(true)
  }
}

/** Throws an error of one line if a pooler cannot be used. */
export async function mustKeepStatements(pool: pg.Pool): Promise<void> {
  if ((await wayOf(pool)) !== 'drops statements') return
  throw new StartupError(`the pooler at DATABASE_URL does not keep prepared statements: ${poolerAdvice}`)
}
