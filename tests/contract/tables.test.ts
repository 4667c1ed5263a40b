import { afterAll, beforeAll, expect, test } from 'vitest'
import { specimens } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'

/** What every table owes, as the catalog of a migrated database says it. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

/** Tables that belong to no store. */
const ofNoStore = ['migrations', 'organisations', 'stores']

/** Keys and indexes that do not lead with the store, and why. */
const exemptIndexes: Readonly<Record<string, string>> = {
  accounts_by_account_tags: 'inverted: what leads there is the tag',
  application_keys_client_id_key: 'the client id is what says which store',
  attempts_by_ends_at: 'housekeeping: what has expired, of all stores',
  idempotency_keys_created_at: 'housekeeping: what has expired, of all stores',
  merchant_realm_mappings_prefix_key: 'the prefix is what says which store',
  one_time_passwords_by_expires_at: 'housekeeping: what has expired, of all stores',
  sign_in_codes_by_expires_at: 'housekeeping: what has expired, of all stores',
  sign_in_requests_by_expires_at: 'housekeeping: what has expired, of all stores',
}

test('every key and index of a table leads with the store', async () => {
  const { rows } = await world.sql(
    `SELECT i.indexrelid::regclass::text AS index, i.indrelid::regclass::text AS table, a.attname AS first
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
  )
  const owned = rows.filter(({ table }) => !ofNoStore.includes(table))
  expect(owned.map(({ table }) => table)).toContain('gadgets')
  const others = owned.filter(({ first }) => first !== 'store_id').map(({ index }) => index)
  expect(others.sort()).toEqual(Object.keys(exemptIndexes).sort())
})

test('every table that is not all stores’ has the store in its key', async () => {
  const { rows } = await world.sql(
    `SELECT c.relname AS table FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'store_id' AND a.attnotnull)`,
  )
  expect(rows.map(({ table }) => table).sort()).toEqual(ofNoStore)
})

/** Statement triggers with transition tables do not run on every engine that we grow onto. */
test('no trigger looks at all rows of a statement at once', async () => {
  const { rows } = await world.sql(
    `SELECT DISTINCT t.tgname AS name FROM pg_trigger t
     WHERE NOT t.tgisinternal AND (t.tgoldtable IS NOT NULL OR t.tgnewtable IS NOT NULL)`,
  )
  expect(rows).toEqual([])
})

/** What no request can break, and why. */
const unbreakable: Readonly<Record<string, string>> = {
  application_keys_client_id_key: 'the client id is made up by the server',
  authentication_realms_origin_key: 'realms are made with their store',
}

test('what is unique has words for a client who brings it twice, and those words are about something', async () => {
  const { rows } = await world.sql(
    `SELECT i.indexrelid::regclass::text AS name, i.indrelid::regclass::text AS table,
       coalesce(bool_or(a.attname = 'id'), false) AS by_id
     FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
     WHERE i.indisunique GROUP BY i.indexrelid, i.indrelid`,
  )
  const { rows: constraints } = await world.sql('SELECT DISTINCT conname AS name FROM pg_constraint')
  const declared = new Set(specimens.flatMap(({ resource }) => Object.keys(resource.constraints ?? {})))
  const tables = new Set(specimens.map(({ resource }) => resource.table))
  const uniques = rows.filter(({ table, by_id }) => tables.has(table) && !by_id).map(({ name }) => name)
  const mute = uniques.filter((name) => !declared.has(name))
  const advice =
    'unique, and not declared: a row of `constraints` where a client can break it; a row above where a rule keeps it'
  expect(mute.sort(), advice).toEqual(Object.keys(unbreakable).sort())
  const known = new Set([...rows, ...constraints].map(({ name }) => name))
  expect(
    [...declared].filter((name) => !known.has(name)),
    'declared, and nowhere',
  ).toEqual([])
})
