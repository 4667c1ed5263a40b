import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { checkFeed } from '../../../tools/checking/check-feed.ts'
import { checkFiles } from '../../../tools/checking/check-files.ts'
import { checkMoney } from '../../../tools/checking/check-money.ts'
import { checkTotals } from '../../../tools/checking/check-totals.ts'
import { fillStore } from '../../builders/tools/full-store.ts'
import { run } from '../../builders/tools/run-command.ts'
import { databaseUrl } from '../../support/own-database.ts'
import { filesOf, openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  await fillStore(world)
  database = new Database(databaseUrl(inject('postgres'), world.database), 2)
})
afterAll(async () => {
  await database.close()
  await world.close()
})

const progress = { add: () => {}, summary: () => '' }
const checks = {
  totals: () => checkTotals(database, progress),
  feed: () => checkFeed(database, progress),
  money: () => checkMoney(database, progress),
  files: () => checkFiles(database, world.server.instance.blobs, progress),
}

/** Breaks something behind the back of the triggers, and undoes it after the check. */
async function differencesAfter(breaking: string, name: keyof typeof checks, mending: string) {
  await world.sql(`BEGIN; SET LOCAL session_replication_role = 'replica'; ${breaking}; COMMIT`)
  const { differences } = await checks[name]()
  await world.sql(`BEGIN; SET LOCAL session_replication_role = 'replica'; ${mending}; COMMIT`)
  return differences
}

test.for(Object.keys(checks) as (keyof typeof checks)[])(
  'a store that is as it should be passes the check of %s',
  async (name) => {
    const result = await checks[name]()
    expect([result.differences, result.count]).toEqual([[], 0])
    expect(result.compared).toBeGreaterThan(0)
  },
)

const one = 'ctid = (SELECT min(ctid) FROM'
const broken: [name: keyof typeof checks, breaking: string, mending: string, says: RegExp][] = [
  [
    'totals',
    `INSERT INTO list_deltas SELECT 'accounts', store_id, store_id, now(), id, 1, now() FROM accounts LIMIT 1`,
    `INSERT INTO list_deltas SELECT 'accounts', store_id, store_id, now(), id, -1, now() FROM accounts LIMIT 1`,
    /^accounts of .* in store .*: the total is \d+, and there are \d+$/,
  ],
  [
    'feed',
    `UPDATE accounts SET version = version + 7 WHERE ${one} accounts)`,
    `UPDATE accounts SET version = version - 7 WHERE version >= 7`,
    /^accounts .*: the feed ends with version 0, and the object has version 7$/,
  ],
  [
    'feed',
    'UPDATE feeds SET position = position + 3',
    'UPDATE feeds SET position = position - 3',
    /^store .*: the feed should have \d+ changes, and has \d+$/,
  ],
  [
    'money',
    `UPDATE orders SET doc = jsonb_set(doc::jsonb, '{payment}', '"refunded"')::json
     WHERE (store_id, id) IN (SELECT store_id, order_id FROM order_transactions) AND payment <> 'refunded'`,
    `UPDATE orders SET doc = jsonb_set(doc::jsonb, '{payment}', '"unpaid"')::json`,
    /^order .* in store .*: it is refunded .*, and its transactions come to \w+ /,
  ],
  [
    'files',
    `UPDATE files SET doc = jsonb_set(doc::jsonb, '{file_size}', to_jsonb((doc->>'file_size')::int + 1))::json
     WHERE (doc->>'file_size')::int > 0`,
    `UPDATE files SET doc = jsonb_set(doc::jsonb, '{file_size}', to_jsonb((doc->>'file_size')::int - 1))::json
     WHERE (doc->>'file_size')::int > 0`,
    /^file .*: it has \d+ bytes in place of \d+$/,
  ],
]

test.for(broken)('the check of %s finds what is wrong: %s', async ([name, breaking, mending, says]) => {
  const differences = await differencesAfter(breaking, name, mending)
  expect(differences).toContainEqual(expect.stringMatching(says))
})

test('the feed of a store that has erased personal data passes its check', async () => {
  const { admin } = world
  const data = { type: 'customer', name: 'Ada', email: 'ada.to.erase@example.com' }
  const { id } = (await admin.post('/v2/customers', { data })).body.data
  const erasure = { type: 'erasure_request', resource_type: 'customer', resource_id: id }
  const request = (await admin.post('/v2/personal-data/erasure-requests', { data: erasure })).body.data
  const path = `/v2/personal-data/erasure-requests/${request.id}`
  await expect.poll(async () => (await admin.get(path)).body.data.status, { timeout: 10_000 }).toBe('SUCCESS')
  const { differences } = await checks.feed()
  expect(differences).toEqual([])
})

test('the command exits with 1 if anything differs, and with 0 if nothing does', async () => {
  const settings = {
    DATABASE_URL: databaseUrl(inject('postgres'), world.database),
    SUTLER_FILES_DIR: filesOf(world.database),
  }
  const fine = await run(['check', 'totals', '--json'], settings)
  expect([fine.code, JSON.parse(fine.stdout)]).toMatchObject([0, { check: 'totals', differences: 0 }])
  await world.sql(
    `INSERT INTO list_deltas SELECT 'accounts', store_id, store_id, now(), id, 1, now() FROM accounts LIMIT 1`,
  )
  const { code, stdout } = await run(['check', 'totals'], settings)
  expect([code, stdout]).toEqual([1, expect.stringMatching(/\d+ compared: 1 differ\.\n$/)])
})
