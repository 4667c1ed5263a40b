import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../server/kernel/storage/database.ts'
import type { Baseline } from '../../server/kernel/upgrades/baseline.ts'
import { rooms } from '../../tests/support/source-files.ts'
import { routineOwner, tableOwner } from '../../tests/support/sql-owners.ts'
import { baselineSql } from './baseline-sql.ts'
import { readCatalog } from './catalog.ts'

/** The number of the first file, higher than all before. Those after a baseline begin a hundred higher. */
const firstNumberAfter = (name: string): number => (Math.floor(Number.parseInt(name, 10) / 1000) + 1) * 1000

/**
 * Writes a baseline for the migrations of one folder into another: a file for each wing, and `baseline.json`. The
 * `database` stands at the last of the migrations, and `commit` has them.
 */
export async function writeBaseline(
  database: Connection,
  { from, to, commit }: { readonly from: string; readonly to: string; readonly commit: string },
): Promise<Baseline> {
  const names = readdirSync(from)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const migrations = names.map((name) => readFileSync(join(from, name), 'utf8'))
  const sqlByWing = baselineSql(await readCatalog(database), migrations, {
    rooms: ['kernel', ...rooms],
    roomOfTable: (name) => tableOwner.get(name) ?? '',
    roomOfRoutine: (name) => routineOwner.get(name) ?? '',
  })
  const first = firstNumberAfter(names.at(-1) ?? '')
  const files = [...sqlByWing].map(([wing, sql], i) => ({ name: `${first + i}-${wing}.sql`, sql }))
  for (const { name, sql } of files) writeFileSync(join(to, name), sql)
  const baseline = { files: files.map(({ name }) => name), replaces: names, commit }
  writeFileSync(join(to, 'baseline.json'), `${JSON.stringify(baseline, null, 2)}\n`)
  return baseline
}
