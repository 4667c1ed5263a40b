import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { StartupError } from '../../platform/faults.ts'
import { ownFolder } from './migrations.ts'

/** Migrations that stand for all before them: `baseline.json` of the folder. */
export interface Baseline {
  readonly files: readonly string[]
  /** The migrations before it, and the commit that has them. */
  readonly replaces: readonly string[]
  readonly commit: string
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
export async function takeOver(
  client: pg.ClientBase,
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
