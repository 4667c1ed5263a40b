import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownDatabase } from '../../support/own-database.ts'

const migration = readFileSync(
  join(import.meta.dirname, '../../../server/migrations/0066-plain-names.sql'),
  'utf8',
)

test('the members that an older server stored get their new names, and others stay', async () => {
  const database = await ownDatabase()
  try {
    const { rows } = await database.sql('SELECT id FROM stores')
    const storeId = rows[0].id
    await database.sql('ALTER TABLE idempotency_keys RENAME COLUMN fingerprint TO asked')
    await database.sql('ALTER TABLE price_import_lines RENAME COLUMN content TO said')
    const addJob = (hidden: unknown) =>
      database.sql(
        `INSERT INTO pim_jobs (store_id, id, created_at, updated_at, doc, hidden)
         VALUES ($1, gen_random_uuid(), now(), now(), '{}', $2)`,
        [storeId, JSON.stringify(hidden)],
      )
    await addJob({ request_id: 'x', told: { filter: 'eq(status,live)' } })
    await addJob({ request_id: 'y' })
    const queue = (name: string, payload: unknown) =>
      database.sql(`INSERT INTO long_jobs (store_id, name, author, payload) VALUES ($1, $2, 'someone', $3)`, [
        storeId,
        name,
        JSON.stringify({ jobId: 'z', payload }),
      ])
    await queue('pim-jobs:product-export', { wanted: [{ of: 'sku' }], filter: '' })
    await queue('pim-jobs:product-import', { wanted: 1 })
    await database.sql(migration)
    const jobs = await database.sql(`SELECT hidden FROM pim_jobs ORDER BY hidden->>'request_id'`)
    expect(jobs.rows.map(({ hidden }) => hidden)).toEqual([
      { request_id: 'x', details: { filter: 'eq(status,live)' } },
      { request_id: 'y' },
    ])
    const queued = await database.sql('SELECT payload FROM long_jobs ORDER BY id')
    expect(queued.rows.map(({ payload }) => payload.payload)).toEqual([
      { columns: [{ of: 'sku' }], filter: '' },
      { wanted: 1 },
    ])
  } finally {
    await database.drop()
  }
})
