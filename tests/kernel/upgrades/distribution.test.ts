import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { distribute } from '../../../server/kernel/upgrades/distribute.ts'
import { planDistribution } from '../../../server/kernel/upgrades/distribution.ts'
import { StartupRefusal } from '../../../server/platform/faults.ts'
import { describeDistribution, distributeAll, distributionStatus } from '../../../tools/distribute.ts'
import { citusUrl } from '../../support/citus-url.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'

let own: OwnDatabase
let database: Database
beforeAll(async () => {
  own = await ownDatabase()
  database = new Database(own.url, 2)
})
afterAll(async () => {
  await database.close()
  await own.drop()
})

/** Tables that stay on the coordinator, and why. */
const ofCoordinator: Readonly<Record<string, string>> = {
  backfills: 'of migrations',
  database_figures: 'of the whole database',
  long_jobs: 'the queue takes jobs of all stores in one statement',
  migrations: 'of the whole database',
  moved_jobs: 'says what the queue has of the outbox',
  processes: 'of the whole database',
}

const progress = { add: () => {}, summary: () => '' }

const plan = async () => {
  const client = await database.pool.connect()
  try {
    return await planDistribution(client, citusUrl !== undefined)
  } finally {
    client.release()
  }
}

describe.skipIf(citusUrl)('without Citus', () => {
  test('the plan has a place for every table, and nothing is in its way', async () => {
    const { steps, obstacles } = await plan()
    expect(obstacles).toEqual([])
    const placed = steps.flatMap(
      ({ what }) => /^table (\w+): (?:by store|on every node)$/.exec(what)?.[1] ?? [],
    )
    const { rows } = await own.sql(`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
    const elsewhere = rows.map(({ name }) => name).filter((name) => !placed.includes(name))
    expect(elsewhere.sort()).toEqual(Object.keys(ofCoordinator).sort())
  })

  test('what is dropped before the rows are copied is made again behind it', async () => {
    const { steps } = await plan()
    const named = (end: string) =>
      steps.flatMap(({ what }) => (what.endsWith(end) ? what.slice(0, -end.length) : [])).sort()
    expect(named(': drop').length).toBeGreaterThan(200)
    expect([...named(': add'), ...named(': create')].sort()).toEqual(named(': drop'))
  })

  test('a routine in SQL comes behind those that it calls: a node checks its body', async () => {
    const { steps } = await plan()
    const places = steps.flatMap(({ what }) => /^routine (\w+)\(.*: on every node$/.exec(what)?.[1] ?? [])
    expect(places.indexOf('session_lives')).toBeGreaterThan(-1)
    expect(places.indexOf('lease_holds')).toBeGreaterThan(places.indexOf('session_lives'))
  })

  test('keys over stores, keys that set null and triggers of statements are named', async () => {
    await own.sql(`CREATE TABLE boats (store_id uuid, id int, name text UNIQUE, port int, PRIMARY KEY (store_id, id),
        CONSTRAINT boats_port FOREIGN KEY (store_id, port) REFERENCES boats ON DELETE SET NULL (port));
      CREATE FUNCTION sail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER sail AFTER INSERT ON boats EXECUTE FUNCTION sail()`)
    const { obstacles } = await plan()
    expect(obstacles.map(({ what }) => what)).toEqual(['boats_name_key', 'boats.boats_port', 'boats.sail'])
    await own.sql('DROP TABLE boats')
  })

  test('it says that Citus is missing, and changes nothing', async () => {
    const refused = distributeAll(database, undefined, progress, new AbortController().signal)
    await expect(refused).rejects.toThrow(StartupRefusal)
    await expect(refused).rejects.toThrow('Citus is not installed in this PostgreSQL')
    expect((await distributionStatus(database)).data.distributed).toBe(false)
    expect((await describeDistribution(database)).hasFailed).toBe(true)
  })
})

describe.skipIf(!citusUrl)('with Citus (SUTLER_TEST_CITUS_URL)', () => {
  test('a distribution that is interrupted goes on where it ended', async () => {
    await own.sql(`CREATE TABLE boats (store_id uuid REFERENCES stores ON DELETE CASCADE, id uuid, version int NOT NULL DEFAULT 0,
        created_at timestamptz(3), updated_at timestamptz(3), doc json, hidden json, PRIMARY KEY (store_id, id));
      CALL track('boats', $$'boat'$$)`)
    const made = await triggersOf('boats')
    const stop = new AbortController()
    const client = await database.pool.connect()
    const isDone = await distribute(client, {
      signal: stop.signal,
      onStep: (what) => what.includes('by store') && stop.abort(),
    })
    expect(isDone).toBe(false)
    expect((await distributionStatus(database)).data).toMatchObject({ distributed: false })
    expect(await distribute(client)).toBe(true)
    client.release()
    expect((await distributionStatus(database)).data).toMatchObject({ distributed: true, steps_left: 0 })
    expect(await triggersOf('boats')).toEqual(made)
    expect((await plan()).steps).toEqual([])
  })
})

const triggersOf = async (table: string) =>
  (
    await own.sql(
      `SELECT tgname AS name FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal ORDER BY 1`,
      [table],
    )
  ).rows
