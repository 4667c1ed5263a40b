import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../../platform/faults.ts'
import type { Database } from './database.ts'

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const supported = { from: 15, to: 18 }
// Several processes may start at once: one migrates, the others wait for it.
const lock = 7305012

/** Brings the schema up to date: each file once, in order, each in a transaction of its own. */
export async function migrate(database: Database): Promise<void> {
  const [version] = await database.run({ text: 'SHOW server_version_num', values: [] })
  const major = Math.floor(Number(version?.[0]) / 10_000)
  if (major < supported.from || major > supported.to) {
    throw new StartupError(`PostgreSQL ${major} is not supported: use ${supported.from} to ${supported.to}.`)
  }
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const client = await database.pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock])
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)',
    )
    const applied = new Set(
      (await client.query('SELECT name FROM migrations')).rows.map((row) => row.name as string),
    )
    const unknown = [...applied].find((name) => !files.includes(name))
    if (unknown)
      throw new StartupError(
        `The database was migrated by a newer version of Sutler (${unknown}): start that version.`,
      )
    for (const name of files.filter((file) => !applied.has(file))) {
      const sql = await readFile(new URL(name, `file://${folder}`), 'utf8')
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = '10s'`)
      await client.query(sql)
      await client.query('INSERT INTO migrations VALUES ($1, now())', [name])
      await client.query('COMMIT')
    }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(() => {})
    client.release()
  }
}
