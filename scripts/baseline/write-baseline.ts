import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../server/kernel/storage/database.ts'
import type { Baseline } from '../../server/kernel/storage/migrate.ts'
import { wings } from '../../tests/support/source-files.ts'
import { routineOwner, tableOwner } from '../../tests/support/sql-owners.ts'
import { baselineSql } from './baseline-sql.ts'
import { readCatalog } from './catalog.ts'

/** The number of the first file: those of later migrations are higher. */
const firstNumber = 1000

/** The name of a room begins with its wing. */
const wingOf = (room = ''): string => room.split('/')[0] ?? ''

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
    wings: ['kernel', ...wings.keys()],
    wingOfTable: (name) => wingOf(tableOwner.get(name)),
    wingOfRoutine: (name) => wingOf(routineOwner.get(name)),
  })
  const files = [...sqlByWing].map(([wing, sql], i) => ({ name: `${firstNumber + i}-${wing}.sql`, sql }))
  for (const { name, sql } of files) writeFileSync(join(to, name), sql)
  const before = names.at(-1) ?? ''
  const baseline = { files: files.map(({ name }) => name), before, count: names.length, commit }
  writeFileSync(join(to, 'baseline.json'), `${JSON.stringify(baseline, null, 2)}\n`)
  return baseline
}
