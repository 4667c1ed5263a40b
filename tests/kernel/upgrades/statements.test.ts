import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { planMigrations } from '../../../server/kernel/upgrades/plan.ts'
import { effectsOf, lockModes } from '../../../server/kernel/upgrades/statements.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/own-database.ts'

/** What the plan says of a statement is what PostgreSQL does. */

let own: OwnDatabase
let client: pg.Client
beforeAll(async () => {
  own = await emptyDatabase()
  client = new pg.Client(own.url)
  await client.connect()
  await client.query(`CREATE TABLE ports (id int PRIMARY KEY);
    CREATE TABLE boats (store_id uuid NOT NULL DEFAULT gen_random_uuid(), id int, name text, port int, size int,
      CONSTRAINT old CHECK (size > 0) NOT VALID);
    CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE PROCEDURE track(tracked text) LANGUAGE plpgsql AS $$ BEGIN
      EXECUTE format('CREATE TRIGGER track AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION touch()', tracked); END $$;
    CREATE TRIGGER before BEFORE UPDATE ON boats FOR EACH ROW EXECUTE FUNCTION touch();
    CREATE UNIQUE INDEX boats_id ON boats (id);
    INSERT INTO boats (id, name, port, size) SELECT i, 'Boat', NULL, 1 FROM generate_series(1, 100) i`)
})
afterAll(async () => {
  await client.end()
  await own.drop()
})

const statements = [
  'ALTER TABLE boats ADD COLUMN flag text',
  `ALTER TABLE boats ADD COLUMN flag text NOT NULL DEFAULT 'a, b;'`,
  'ALTER TABLE boats ADD COLUMN seen timestamptz DEFAULT now()',
  'ALTER TABLE boats ADD COLUMN own uuid DEFAULT gen_random_uuid()',
  'ALTER TABLE boats ADD upper_name text GENERATED ALWAYS AS (upper(name)) STORED',
  'ALTER TABLE boats ADD COLUMN nth bigint GENERATED ALWAYS AS IDENTITY',
  'ALTER TABLE ONLY boats DROP COLUMN name, DROP COLUMN port',
  'ALTER TABLE boats RENAME COLUMN name TO title',
  'ALTER TABLE boats ALTER COLUMN size TYPE bigint',
  'ALTER TABLE boats ALTER name SET NOT NULL',
  'ALTER TABLE boats ALTER name DROP DEFAULT',
  'ALTER TABLE boats ADD CONSTRAINT big CHECK (size > 0)',
  'ALTER TABLE boats ADD CONSTRAINT big CHECK (size > 0) NOT VALID',
  'ALTER TABLE boats VALIDATE CONSTRAINT old',
  'ALTER TABLE boats ADD CONSTRAINT home FOREIGN KEY (port) REFERENCES ports (id)',
  'ALTER TABLE boats ADD CONSTRAINT home FOREIGN KEY (port) REFERENCES ports (id) NOT VALID',
  'ALTER TABLE boats ADD CONSTRAINT one UNIQUE (id)',
  'ALTER TABLE boats ADD CONSTRAINT one UNIQUE USING INDEX boats_id',
  'ALTER TABLE boats SET (fillfactor = 90)',
  'CREATE INDEX ON boats (store_id, name)',
  'CREATE UNIQUE INDEX named ON boats (store_id, id) WHERE id > 0',
  'CREATE TRIGGER after AFTER INSERT ON boats FOR EACH ROW EXECUTE FUNCTION touch()',
  `CALL track('boats')`,
  'DROP TRIGGER before ON boats',
  'DROP TABLE boats',
  'TRUNCATE boats',
  `UPDATE boats SET name = 'x' -- all; of them\n`,
  'DELETE FROM boats WHERE id > 5',
  `INSERT INTO boats (id) SELECT 1000`,
]

/** The strongest lock on the table, and whether its rows are in a new file. */
async function truthOf(statement: string) {
  const fileOf = async () => (await client.query(`SELECT pg_relation_filenode('boats') AS file`)).rows[0].file
  await client.query('BEGIN')
  try {
    const [{ oid }] = (await client.query(`SELECT 'boats'::regclass::oid AS oid`)).rows as [{ oid: string }]
    const before = await fileOf()
    await client.query(statement)
    const { rows } = await client.query(
      `SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = $1`,
      [oid],
    )
    const modes = rows.map(({ mode }) =>
      mode
        .replace(/Lock$/, '')
        .replace(/\B(?=[A-Z])/g, ' ')
        .toUpperCase(),
    )
    const lock = lockModes[Math.max(...modes.map((mode) => lockModes.indexOf(mode)))]
    const isGone = /^(DROP TABLE|TRUNCATE)/.test(statement)
    return { lock, isRewritten: !isGone && (await fileOf()) !== before }
  } finally {
    await client.query('ROLLBACK')
  }
}

test.each(statements)('%s', async (statement) => {
  const effects = effectsOf(`${statement};`)
  const [effect] = effects
  const { lock, isRewritten } = await truthOf(statement)
  expect(new Set(effects.map((one) => one.table))).toEqual(new Set(['boats']))
  expect(effect?.lock).toBe(lock)
  const writesRows = /^(UPDATE|DELETE|INSERT)/.test(statement)
  expect(effect?.kind === 'rewrite').toBe(isRewritten || writesRows)
})

test('a form that the plan does not know is unknown', () => {
  expect(effectsOf(`DO $do$ BEGIN; PERFORM 1; END $do$;`)).toEqual([
    { kind: 'unknown', table: '', lock: undefined },
  ])
  expect(
    effectsOf(`CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ UPDATE boats SET id = 1; SELECT 1 $$`),
  ).toEqual([{ kind: 'instant', table: '', lock: undefined }])
})

test('the plan of an empty database finds no table that anyone waits for', async () => {
  const database = new Database(own.url, 2)
  const planned = await planMigrations(database)
  await database.close()
  expect(planned.length).toBeGreaterThan(10)
  expect(planned.flatMap(({ tables }) => tables)).toEqual([])
})
