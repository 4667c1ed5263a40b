import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { StartupError } from '../../platform/faults.ts'
import type { Database } from '../storage/database.ts'

const ownFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const supported = { from: 15, to: 18 }
// Several processes may start at once: one migrates, the others wait for it.
const lock = 7305012

// `step` came later: see decision 119.
const createTable = `DO $$ BEGIN
  CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL);
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'step') THEN
    ALTER TABLE migrations ADD COLUMN step text NOT NULL DEFAULT 'expand';
  END IF;
END $$`

/** Migrations that stand for all before them: `baseline.json` of the folder. */
export interface Baseline {
  readonly files: readonly string[]
  /** The migrations before it, and the commit that has them. */
  readonly replaces: readonly string[]
  readonly commit: string
}

/** Brings the schema up to date: each file once, in order, each in a transaction of its own. */
export async function migrate(database: Database, folder: string = ownFolder): Promise<void> {
  const [version] = await database.run({ text: 'SHOW server_version_num', values: [] })
  const major = Math.floor(Number(version?.[0]) / 10_000)
  if (major < supported.from || major > supported.to) {
    throw new StartupError(`PostgreSQL ${major} is not supported: use ${supported.from} to ${supported.to}.`)
  }
  const files = await migrationsIn(folder)
  const client = await database.pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock])
    await client.query(createTable)
    const baseline = await baselineIn(folder)
    const before = await appliedIn(client)
    const unknown = before.find((name) => !files.includes(name) && !isBefore(baseline, name))
    if (unknown)
      throw new StartupError(
        `The database was migrated by a newer version of Sutler (${unknown}): start that version.`,
      )
    await takeOver(client, baseline, before)
    const applied = new Set(namesAfter(baseline, before))
    for (const name of files.filter((file) => !applied.has(file))) {
      const sql = await readFile(join(folder, name), 'utf8')
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

const appliedIn = async (client: pg.PoolClient): Promise<readonly string[]> =>
  (await client.query('SELECT name FROM migrations')).rows.map((row) => row.name as string)

/** The names of the migrations of this version, in order. */
async function migrationsIn(folder: string = ownFolder): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
}

/** The last migration of this version. */
export const lastMigration = async (): Promise<string> => (await migrationsIn()).at(-1) ?? ''

/** The names of the migrations that a database has, in order. A new database has none. */
export async function appliedMigrations(database: Database): Promise<readonly string[]> {
  const [table] = await database.run({ text: `SELECT to_regclass('migrations')`, values: [] })
  if (table?.[0] == null) return []
  const rows = await database.run({ text: 'SELECT name FROM migrations ORDER BY name', values: [] })
  return rows.map(([name]) => name as string)
}

/** The baseline of a folder of migrations. One without a baseline begins with its first file. */
export async function baselineIn(folder: string = ownFolder): Promise<Baseline> {
  const file = join(folder, 'baseline.json')
  if (!existsSync(file)) return { files: [], replaces: [], commit: '' }
  return JSON.parse(await readFile(file, 'utf8')) as Baseline
}

/** Whether a migration is older than a baseline: its number is lower. */
export const isBefore = ({ files: [first = ''] }: Baseline, name: string): boolean => name < first

/** The names of applied migrations, with those of the baseline in place of all that it replaces. */
export function namesAfter(baseline: Baseline, names: readonly string[]): readonly string[] {
  const old = names.filter((name) => isBefore(baseline, name))
  const isWhole =
    old.length === baseline.replaces.length && baseline.replaces.every((name) => old.includes(name))
  return isWhole ? [...baseline.files, ...names.filter((name) => !old.includes(name))] : names
}

/** A database that stands at the last migration before the baseline has the same schema: only the names change. */
async function takeOver(
  client: pg.PoolClient,
  baseline: Baseline,
  applied: readonly string[],
): Promise<void> {
  const old = applied.filter((name) => isBefore(baseline, name))
  if (!old.length) return
  const names = namesAfter(baseline, applied)
  if (names.some((name) => old.includes(name))) {
    throw new StartupError(
      `The database is too old for this version of Sutler: start commit ${baseline.commit} on it once, then this version.`,
    )
  }
  await client.query('BEGIN')
  await client.query('DELETE FROM migrations WHERE name = ANY($1)', [old])
  await client.query('INSERT INTO migrations SELECT unnest($1::text[]), now()', [baseline.files])
  await client.query('COMMIT')
}
