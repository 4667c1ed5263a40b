import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCatalog } from '../../../scripts/baseline/catalog.ts'
import { writeBaseline } from '../../../scripts/baseline/write-baseline.ts'
import { schemaDump } from '../../../scripts/docs/schema-dump.ts'
import { Database } from '../../../server/kernel/storage/database.ts'
import { type Baseline, baselineIn } from '../../../server/kernel/upgrades/baseline.ts'
import { migrate } from '../../../server/kernel/upgrades/migrate.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/own-database.ts'

/** A baseline stands for all migrations before it: in a fresh database, and in one that stands at the last of them. */

const folder = join(import.meta.dirname, '../../../server/migrations')
const scratch = mkdtempSync(join(tmpdir(), 'sutler-baseline-'))
/** The baseline of server/migrations/, and one later migration. */
const ownFolder = join(scratch, 'own')
const after = '9000-after.sql'

let opened: { readonly own: OwnDatabase; readonly database: Database }[] = []
async function open() {
  const own = await emptyDatabase()
  const database = new Database(own.url, 2)
  opened.push({ own, database })
  return { own, database, names: () => namesIn(own) }
}
const namesIn = async (own: OwnDatabase): Promise<readonly string[]> =>
  (await own.sql('SELECT name FROM migrations ORDER BY name')).rows.map(({ name }) => name)

let baseline: Baseline
beforeAll(async () => {
  baseline = await baselineIn(folder)
  mkdirSync(ownFolder)
  for (const file of ['baseline.json', ...baseline.files])
    copyFileSync(join(folder, file), join(ownFolder, file))
  const sql = 'CREATE TABLE after_the_baseline (store_id uuid); LOCK TABLE organisations IN EXCLUSIVE MODE;'
  writeFileSync(join(ownFolder, after), sql)
})
afterAll(async () => {
  for (const { own, database } of opened) {
    await database.close()
    await own.drop()
  }
  opened = []
  rmSync(scratch, { recursive: true, force: true })
})

/** A database as the commit before the baseline leaves it: the same schema, and the names of the old migrations. */
async function openOld({ names = baseline.replaces }: { readonly names?: readonly string[] } = {}) {
  const place = await open()
  const without = join(scratch, 'without')
  cpSync(ownFolder, without, { recursive: true })
  rmSync(join(without, after))
  await migrate(place.database, without)
  await place.own.sql('DELETE FROM migrations')
  await place.own.sql('INSERT INTO migrations SELECT unnest($1::text[]), now()', [names])
  await place.own.sql(`INSERT INTO organisations VALUES (gen_random_uuid(), 'Old', now())`)
  return place
}
const takenOver = () => [...baseline.files, after]

/** What the triggers that `track` makes are: docs/schema.sql leaves them out. */
const tracksSql = `SELECT concat_ws(' ', t.tgrelid::regclass, t.tgname, p.prosrc) AS track FROM pg_trigger t
  JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.proname ~ '_(tracked|counted|fkey)$' ORDER BY 1`

test('a baseline that is written of the migrations makes the same schema', async () => {
  const [migrated, fresh] = [await open(), await open()]
  await migrate(migrated.database)
  const to = join(scratch, 'written')
  mkdirSync(to)
  const written = await writeBaseline(migrated.database, { from: folder, to, commit: 'abc123' })
  await migrate(fresh.database, to)
  expect(await fresh.names()).toEqual(written.files)
  expect(await schemaDump(fresh.database)).toEqual(await schemaDump(migrated.database))
  expect((await readCatalog(fresh.database)).extras).toEqual((await readCatalog(migrated.database)).extras)
  expect((await fresh.own.sql(tracksSql)).rows).toEqual((await migrated.own.sql(tracksSql)).rows)
  const first = (names: readonly string[]) => Number.parseInt(names[0] ?? '', 10)
  expect(first(written.files), 'its numbers are higher').toBeGreaterThan(first(baseline.files))
}, 120_000)

test('a database that stands at the last migration is taken over with its rows, and goes on from there', async () => {
  const { own, database, names } = await openOld()
  const schema = await schemaDump(database)
  await migrate(database, ownFolder)
  expect(await names()).toEqual(takenOver())
  await own.sql('DROP TABLE after_the_baseline')
  expect(await schemaDump(database)).toEqual(schema)
  expect((await own.sql('SELECT name FROM organisations')).rows).toEqual([{ name: 'Old' }])
  await migrate(database, ownFolder)
  expect(await names()).toEqual(takenOver())
})

test('a database that lacks a migration is told which commit to start, and stays as it is', async () => {
  for (const missing of [baseline.replaces.slice(1), baseline.replaces.slice(0, -1)]) {
    const { database, names } = await openOld({ names: missing })
    await expect(migrate(database, ownFolder)).rejects.toThrow(`start commit ${baseline.commit} on it once`)
    expect(await names()).toEqual(missing)
  }
})

test('a database from which a later version has removed something is refused, and stays as it is', async () => {
  const later = [...baseline.replaces, '9999-later.sql']
  const { database, names, own } = await openOld({ names: later })
  await own.sql(`UPDATE migrations SET step = 'contract' WHERE name = '9999-later.sql'`)
  await expect(migrate(database, ownFolder)).rejects.toThrow('newer version of Sutler (9999-later.sql)')
  expect(await names()).toEqual(later)
})

test('several processes at once take a database over once, or make a fresh one once', async () => {
  for (const { own, names } of [await openOld(), await open()]) {
    const databases = [1, 2, 3].map(() => new Database(own.url, 2))
    await Promise.all(databases.map((database) => migrate(database, ownFolder)))
    await Promise.all(databases.map((database) => database.close()))
    expect(await names()).toEqual(takenOver())
  }
})

/** A process that migrates, ended by SIGKILL as soon as it waits for the lock of the table. */
async function killWaiting(own: OwnDatabase, table: string) {
  const [root, source] = [join(import.meta.dirname, '../../..'), join(scratch, 'migrate.mjs')]
  writeFileSync(
    source,
    `import { Database } from '${root}/server/kernel/storage/database.ts'
     import { migrate } from '${root}/server/kernel/upgrades/migrate.ts'
     await migrate(new Database(${JSON.stringify(own.url)}, 2), ${JSON.stringify(ownFolder)})`,
  )
  const child = spawn(process.execPath, [source], { stdio: 'ignore' })
  const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`
  await expect.poll(async () => (await own.sql(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test.each([
  ['takes a database over', 'migrations'],
  ['runs a migration', 'organisations'],
])('a process that dies while it %s leaves the rest to the next one', async (_, table) => {
  const { own, database, names } = await openOld()
  const holder = new Database(own.url, 1)
  const client = await holder.pool.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
  await killWaiting(own, table)
  await client.query('COMMIT')
  client.release()
  await holder.close()
  await migrate(database, ownFolder)
  expect(await names()).toEqual(takenOver())
  expect((await own.sql('SELECT FROM after_the_baseline')).rowCount).toBe(0)
})
