import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { finishMigrations } from '../../../server/kernel/upgrades/finish.ts'
import { migrate } from '../../../server/kernel/upgrades/migrate.ts'
import { ownFolder } from '../../../server/kernel/upgrades/migrations.ts'
import { planMigrations } from '../../../server/kernel/upgrades/plan.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { until } from '../../support/until.ts'

/** A migration while servers run, and one whose process is killed. */

const rowCount = 3000
let own: OwnDatabase
let database: Database
let folder: string

beforeAll(async () => {
  own = await ownDatabase()
  database = new Database(own.url, 2)
})
afterAll(async () => {
  await database.close()
  await own.drop()
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sutler-steps-'))
  cpSync(ownFolder, folder, { recursive: true })
  await own.sql(
    'CREATE TABLE boats (store_id uuid, id text, name text, trips int, PRIMARY KEY (store_id, id))',
  )
  await own.sql(
    `INSERT INTO boats SELECT ('00000000-0000-0000-0000-00000000000' || i % 3)::uuid, 'b' || i, 'Boat ' || i, 0
    FROM generate_series(1, $1::int) i`,
    [rowCount],
  )
  await own.sql('ANALYZE boats')
})
afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.end()
  rmSync(folder, { recursive: true, force: true })
  await own.sql(
    `DROP TABLE boats; DELETE FROM migrations WHERE name > '9'; DELETE FROM backfills; DELETE FROM processes`,
  )
})

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const isApplied = async (name: string) =>
  (await own.sql('SELECT FROM migrations WHERE name = $1', [name])).rowCount === 1

const holders: pg.Client[] = []

/** A session that holds something until the test is over. */
async function hold(text: string): Promise<pg.Client> {
  const client = new pg.Client(own.url)
  await client.connect()
  holders.push(client)
  await client.query(`BEGIN; ${text}`)
  return client
}

const countTrips = `-- step: backfill of boats\nUPDATE boats SET trips = trips + 1 WHERE :portion;\n`

test('a migration that waits for a lock keeps no request waiting', async () => {
  write('9001-flag.sql', 'ALTER TABLE boats ADD COLUMN flag text;')
  const reader = await hold('SELECT FROM boats LIMIT 1')
  const migrated = migrate(database, folder)
  for (let i = 0; i < 5; i++) await own.sql('SELECT count(*) FROM boats')
  expect(await isApplied('9001-flag.sql')).toBe(false)
  await reader.query('ROLLBACK')
  await migrated
  expect(await isApplied('9001-flag.sql')).toBe(true)
})

test('what is removed waits for the older process, and for all that comes before it', async () => {
  write('9001-trips.sql', countTrips)
  write('9002-name.sql', '-- step: contract\nALTER TABLE boats DROP COLUMN name;\n')
  await own.sql(`INSERT INTO processes VALUES ('old', '0.0.9', '1170-processes.sql', now())`)
  await migrate(database, folder)
  expect(await isApplied('9001-trips.sql')).toBe(false)
  const finish = (isGentle = false) => finishMigrations(database, { folder, isGentle })
  expect(await finish()).toBe('9002-name.sql waits: old of version 0.0.9 is running: stop it first')
  const { rows } = await own.sql('SELECT min(trips) AS least, max(trips) AS most FROM boats')
  expect(rows).toEqual([{ least: 1, most: 1 }])
  await own.sql('UPDATE processes SET has_ended = true')
  expect(await finish(true)).toContain('has run within the last day')
  expect(await finish()).toBeUndefined()
  expect(await isApplied('9002-name.sql')).toBe(true)
  // The older version would miss what has been removed.
  await expect(migrate(database)).rejects.toThrow('migrated by a newer version of Sutler (9002-name.sql)')
})

test('a plan estimates rows and time from a sample, and changes nothing', async () => {
  write('9001-flag.sql', 'ALTER TABLE boats ADD COLUMN flag text; CREATE TABLE harbours (id int);')
  write('9002-trips.sql', countTrips)
  write('9003-name.sql', '-- step: contract\nALTER TABLE boats ALTER trips TYPE bigint;\n')
  const planned = await planMigrations(database, folder)
  expect(planned).toMatchObject([
    { kind: 'instant', rows: 0, seconds: 0, tables: [{ table: 'boats', lock: 'ACCESS EXCLUSIVE' }] },
    { kind: 'backfill', rows: rowCount, tables: [{ table: 'boats', lock: 'ROW EXCLUSIVE' }] },
    { kind: 'rewrite', rows: rowCount, step: 'contract', tables: [{ lock: 'ACCESS EXCLUSIVE' }] },
  ])
  for (const { seconds } of planned.slice(1)) expect(seconds).toBeGreaterThan(0)
  const { rows } = await own.sql('SELECT sum(trips)::int AS trips FROM boats')
  expect(rows).toEqual([{ trips: 0 }])
})

test('an older version serves a schema that a newer one has only expanded', async () => {
  write('9001-flag.sql', 'ALTER TABLE boats ADD COLUMN flag text;')
  await migrate(database, folder)
  await migrate(database)
})

test('a paused backfill stops, and goes on where it stopped', async () => {
  write('9001-trips.sql', countTrips)
  await own.sql(`INSERT INTO backfills (name, is_paused) VALUES ('9001-trips.sql', true)`)
  expect(await finishMigrations(database, { folder })).toBe('the backfill 9001-trips.sql is paused')
  await own.sql('UPDATE backfills SET is_paused = false')
  const stop = new AbortController()
  const seen: number[] = []
  const interrupted = await finishMigrations(database, {
    ...{ folder, signal: stop.signal },
    onProgress: ({ rowsDone }) => {
      seen.push(rowsDone)
      stop.abort()
    },
  })
  expect(interrupted).toBe('the backfill 9001-trips.sql is interrupted')
  expect(seen).toEqual([500])
  expect(await finishMigrations(database, { folder })).toBeUndefined()
  const { rows } = await own.sql('SELECT sum(trips)::int AS trips FROM boats')
  expect(rows).toEqual([{ trips: rowCount }])
})

const program = join(import.meta.dirname, 'migrate-to-end.ts')
const begin = () =>
  spawn(process.execPath, [program, own.url, folder], { stdio: ['ignore', 'pipe', 'inherit'] })

/** In which state a migration is when its process is killed, and what holds it there. */
const killed: readonly {
  readonly name: string
  readonly sql: string
  readonly hold: string
  readonly isHeld: string
  readonly done: string
}[] = [
  {
    name: '9001-expand.sql',
    sql: 'ALTER TABLE boats ADD COLUMN flag text; SELECT pg_advisory_xact_lock(77); UPDATE boats SET trips = trips + 1;',
    hold: 'SELECT pg_advisory_xact_lock(77)',
    isHeld: `SELECT FROM pg_stat_activity WHERE application_name = 'sutler 9001-expand.sql' AND wait_event = 'advisory'`,
    done: 'SELECT count(flag) = 0 AND min(trips) = 1 AND max(trips) = 1 AS done FROM boats',
  },
  {
    name: '9001-index.sql',
    sql: 'CREATE INDEX CONCURRENTLY boats_name ON boats (store_id, name);',
    hold: `UPDATE boats SET trips = 0 WHERE id = 'b1'`,
    isHeld: `SELECT FROM pg_index WHERE indexrelid = to_regclass('boats_name') AND NOT indisvalid`,
    done: `SELECT indisvalid AS done FROM pg_index WHERE indexrelid = to_regclass('boats_name')`,
  },
  {
    name: '9001-backfill.sql',
    sql: countTrips,
    hold: `UPDATE boats SET trips = 0 WHERE id = 'b2000'`,
    isHeld: 'SELECT FROM backfills WHERE rows_done >= 500',
    done: 'SELECT min(trips) = 1 AND max(trips) = 1 AS done FROM boats',
  },
  {
    name: '9001-contract.sql',
    sql: '-- step: contract\nUPDATE boats SET trips = trips + 1;\nALTER TABLE boats DROP COLUMN name;\n',
    hold: 'SELECT FROM boats LIMIT 1',
    isHeld: `SELECT FROM pg_stat_activity WHERE application_name = 'sutler 9001-contract.sql'`,
    done: 'SELECT min(trips) = 1 AND max(trips) = 1 AS done FROM boats',
  },
]

test.each(killed)(
  'kill -9 within $name leaves what the next start completes',
  async ({ name, sql, ...state }) => {
    write(name, sql)
    const holder = await hold(state.hold)
    const first = begin()
    await until(async () => ((await own.sql(state.isHeld)).rowCount ? true : undefined))
    first.kill('SIGKILL')
    await once(first, 'exit')
    await holder.query('ROLLBACK')
    expect(await isApplied(name)).toBe(false)
    const second = begin()
    expect(await text(second.stdout)).toBe('finished')
    expect((await own.sql(state.done)).rows).toEqual([{ done: true }])
    expect(await isApplied(name)).toBe(true)
  },
)
