import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCatalog } from '../../../scripts/baseline/catalog.ts'
import { writeBaseline } from '../../../scripts/baseline/write-baseline.ts'
import { schemaDump } from '../../../scripts/docs/schema-dump.ts'
import { Database } from '../../../server/kernel/storage/database.ts'
import { type Baseline, migrate } from '../../../server/kernel/storage/migrate.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/own-database.ts'

/** A baseline stands for all migrations: for a fresh database, and for one that stands at the last of them. */

const folder = join(import.meta.dirname, '../../../server/migrations')
const scratch = mkdtempSync(join(tmpdir(), 'sutler-baseline-'))
const baselineFolder = join(scratch, 'migrations')

let opened: { readonly own: OwnDatabase; readonly database: Database }[] = []
async function open(): Promise<Database> {
  const own = await emptyDatabase()
  const database = new Database(own.url, 2)
  opened.push({ own, database })
  return database
}

let migrated: Database
let baseline: Baseline
beforeAll(async () => {
  migrated = await open()
  await migrate(migrated)
  mkdirSync(baselineFolder)
  baseline = await writeBaseline(migrated, { from: folder, to: baselineFolder, commit: 'abc123' })
}, 120_000)
afterAll(async () => {
  for (const { own, database } of opened) {
    await database.close()
    await own.drop()
  }
  opened = []
  rmSync(scratch, { recursive: true, force: true })
})

const rowsOf = async (database: Database, text: string) =>
  (await database.run({ text, values: [], once: true })).map(([value]) => value)
const applied = (database: Database) => rowsOf(database, 'SELECT name FROM migrations ORDER BY name')

/** What the triggers of `track` write. Those of earlier versions of it do the same in other words. */
const trackedSql = `SELECT DISTINCT concat_ws(' ', t.tgrelid::regclass, t.tgname, f[1], f[2])
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid CROSS JOIN LATERAL regexp_matches(p.prosrc,
    $$INTO list_deltas VALUES \\('([^']*)'|r\\.id, ([^;]*), split_part\\(author, ' ', 1\\)$$, 'g') f
  WHERE t.tgname IN ('track', 'track_moves') ORDER BY 1`
const deletedBelowSql = `SELECT concat_ws(' ', t.tgrelid::regclass, p.prosrc) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE p.proname LIKE '%\\_fkey' ORDER BY 1`

/** PostgreSQL writes a chain of ORs with fewer parentheses when it has read it once more. */
const schemaOf = async (database: Database) => (await schemaDump(database)).replace(/[()]/g, '')

test('a fresh database gets the schema of all migrations from the baseline', async () => {
  const fresh = await open()
  await migrate(fresh, baselineFolder)
  expect(await schemaOf(fresh)).toEqual(await schemaOf(migrated))
  expect((await readCatalog(fresh)).extras).toEqual((await readCatalog(migrated)).extras)
  for (const sql of [trackedSql, deletedBelowSql])
    expect(await rowsOf(fresh, sql)).toEqual(await rowsOf(migrated, sql))
  expect(await applied(fresh)).toEqual(baseline.files)
}, 120_000)

test('a database that is older than the last migration is told which commit to start', async () => {
  const last = await rowsOf(
    migrated,
    `DELETE FROM migrations WHERE name = '${baseline.before}' RETURNING name`,
  )
  const before = await applied(migrated)
  await expect(migrate(migrated, baselineFolder)).rejects.toThrow('commit abc123')
  expect(await applied(migrated)).toEqual(before)
  await rowsOf(migrated, `INSERT INTO migrations VALUES ('${last[0]}', now())`)
})

test('a database that stands at the last migration is taken over as it is', async () => {
  const schema = await schemaDump(migrated)
  await migrate(migrated, baselineFolder)
  expect(await applied(migrated)).toEqual(baseline.files)
  expect(await schemaDump(migrated)).toEqual(schema)
  await migrate(migrated, baselineFolder)
  expect(await applied(migrated)).toEqual(baseline.files)
  await expect(migrate(migrated), 'the version before it').rejects.toThrow('newer version')
})
