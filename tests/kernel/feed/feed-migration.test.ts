import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { migrate } from '../../../server/kernel/storage/migrate.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/own-database.ts'

/** A database of the version before the feed had positions is opened by this one. */

const folder = join(import.meta.dirname, '../../../server/migrations')

let old: OwnDatabase
let database: Database
beforeAll(async () => {
  old = await emptyDatabase()
  database = new Database(old.url, 2)
  await old.sql('CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)')
  for (const file of readdirSync(folder).sort()) {
    if (file >= '0014') break
    await old.sql(readFileSync(join(folder, file), 'utf8'))
    await old.sql('INSERT INTO migrations VALUES ($1, now())', [file])
  }
})
afterAll(async () => {
  await database.close()
  await old.drop()
})

const [store, other] = [randomUUID(), randomUUID()]

function insert(table: string, id: string, doc: object, more: Record<string, string> = {}, at = store) {
  const columns = ['store_id', 'id', 'created_at', 'updated_at', 'doc', ...Object.keys(more)]
  const values = ['$1', '$2', 'now()', 'now()', '$3', ...Object.values(more).map((value) => `'${value}'`)]
  return old.sql(`INSERT INTO ${table} (${columns.join()}) VALUES (${values.join()})`, [at, id, doc])
}

test('a migrated feed keeps its rows and tombstones in the order of the writes, and continues', async () => {
  const organisation = randomUUID()
  await old.sql('INSERT INTO organisations VALUES ($1, $2, now())', [organisation, 'Old'])
  for (const id of [store, other]) {
    await old.sql('INSERT INTO stores VALUES ($1, $2, $3, now())', [id, organisation, 'Old'])
  }
  const [customer, account, theirs] = [randomUUID(), randomUUID(), randomUUID()]
  const [home, office, api, entry] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await insert('customers', customer, { name: 'Ada', email: 'ada@example.com' })
  await insert('accounts', account, { name: 'Bakery' })
  await insert('accounts', theirs, { name: 'Another store' }, {}, other)
  await insert('customer_addresses', home, { relationships: { customer: {} } }, { customer_id: customer })
  await insert('account_addresses', office, { relationships: { account: {} } }, { account_id: account })
  await insert('singletons', store, { page_length: 7 }, { name: 'settings', type: 'settings' })
  await insert('singletons', store, { cart_expiry_days: 7 }, { name: 'cart-settings', type: 'settings' })
  await insert('custom_apis', api, { name: 'x', slug: 'x', api_type: 'x_ext' })
  await insert('entries', entry, {}, { custom_api_id: api })
  await old.sql(
    `INSERT INTO changes (store_id, at, kind, type, id, actor, request_id, doc)
     VALUES ($1, now(), 'created', 'one-time-password-token-request', $2, 'a', 'r', '{}')`,
    [store, randomUUID()],
  )
  await old.sql(
    `INSERT INTO personal_data_reads (store_id, at, type, id, actor, scope, parent_type)
     VALUES ($1, now(), 'address', $2, 'a', $3, 'customer'), ($1, now(), 'address', $4, 'a', $5, 'account'),
       ($1, now(), 'customer', $3, 'a', NULL, NULL)`,
    [store, home, customer, office, account],
  )
  await old.sql('DELETE FROM customers; DELETE FROM account_addresses')
  const { rows: before } = await old.sql('SELECT id, at FROM changes WHERE store_id = $1 ORDER BY seq', [
    store,
  ])

  await migrate(database)
  const { rows } = await old.sql(
    'SELECT position::int, event, source, personal, id, at FROM changes WHERE store_id = $1 ORDER BY position',
    [store],
  )
  expect(rows.map(({ id, at }) => ({ id, at }))).toEqual(before)
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i + 1))
  const written = rows.slice(0, 9).map(({ event, source, personal }) => [event, source, personal])
  expect(written).toEqual([
    ['created', 'customers', true],
    ['created', 'accounts', true],
    ['created', 'customer_addresses', true],
    ['created', 'account_addresses', true],
    ['created', 'singletons.settings', false],
    ['created', 'singletons.cart-settings', false],
    ['created', 'custom_apis', false],
    ['created', 'entries', false],
    ['one-time-password-token-request.created', 'one-time-password-token-request', false],
  ])
  // A cascade put the tombstone of a child behind that of its parent: to move it would put it behind readers.
  expect(rows.slice(9).map(({ event, source }) => [event, source])).toEqual([
    ['deleted', 'customers'],
    ['deleted', 'customer_addresses'],
    ['deleted', 'account_addresses'],
  ])
  const { rows: reads } = await old.sql('SELECT source FROM personal_data_reads ORDER BY seq')
  expect(reads.map(({ source }) => source)).toEqual(['customer_addresses', 'account_addresses', 'customers'])

  await old.sql(`UPDATE accounts SET version = version + 1 WHERE store_id = $1`, [store])
  await old.sql(`UPDATE accounts SET version = version + 1 WHERE store_id = $1`, [other])
  await old.sql('SELECT sequence_store(id) FROM stores')
  const { rows: last } = await old.sql(
    'SELECT DISTINCT ON (store_id) store_id, position::int FROM changes ORDER BY store_id, position DESC',
  )
  const positions = Object.fromEntries(last.map(({ store_id, position }) => [store_id, position]))
  expect(positions).toEqual({ [store]: rows.length + 1, [other]: 2 })
})
