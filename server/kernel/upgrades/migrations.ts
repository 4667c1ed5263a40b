import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Connection } from '../storage/database.ts'

export const ownFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))

/**
 * `expand` adds what the new version needs, and the previous version goes on beside it. `backfill` fills what was
 * added, in portions, while servers run. `contract` removes what only older versions use.
 */
export type MigrationStep = 'expand' | 'backfill' | 'contract'

/** A file of server/migrations/. */
export interface Migration {
  readonly name: string
  readonly step: MigrationStep
  readonly sql: string
  /** The table that a backfill walks. */
  readonly table: string
}

const stepLine = /^-- step: (?:(expand|contract)|backfill of (\w+))$/m

/** The file begins with its step, as `-- step: backfill of boats`. Without one it expands. */
function parseMigration(name: string, sql: string): Migration {
  const [, step, table = ''] = stepLine.exec(sql) ?? []
  return { name, step: table ? 'backfill' : step === 'contract' ? 'contract' : 'expand', sql, table }
}

/** The migrations of this version, in order. */
export async function migrationsIn(folder: string = ownFolder): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => parseMigration(name, await readFile(join(folder, name), 'utf8'))),
  )
}

/** The last migration of this version. */
export const lastMigration = async (): Promise<string> => (await migrationsIn()).at(-1)?.name ?? ''

/** The names of the migrations that a database has, in order. A new database has none. */
export async function appliedMigrations(database: Connection): Promise<readonly string[]> {
  const [table] = await database.run({ text: `SELECT to_regclass('migrations')`, values: [] })
  if (table?.[0] == null) return []
  const rows = await database.run({ text: 'SELECT name FROM migrations ORDER BY name', values: [] })
  return rows.map(([name]) => name as string)
}

/** The migrations of this version that a database has yet to get, in order. */
export async function pendingMigrations(
  database: Connection,
  folder: string = ownFolder,
): Promise<readonly Migration[]> {
  const applied = new Set(await appliedMigrations(database))
  return (await migrationsIn(folder)).filter(({ name }) => !applied.has(name))
}
