import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownDatabase } from '../../support/own-database.ts'

const migration = readFileSync(
  join(import.meta.dirname, '../../../server/migrations/0042-long-jobs.sql'),
  'utf8',
)

test('long jobs queued by an older server keep their order, and short ones stay where they are', async () => {
  const database = await ownDatabase()
  try {
    const { rows } = await database.sql('SELECT id FROM stores')
    const storeId = rows[0].id
    await database.sql('DROP TABLE long_jobs')
    const add = (name: string, payload: unknown, queue: string | null, delayS: number) =>
      database.sql(
        `SELECT graphile_worker.add_job($1, $2, queue_name => $3, run_at => now() + $4 * interval '1 s')`,
        [name, JSON.stringify({ store: storeId, by: 'someone request', payload }), queue, delayS],
      )
    // The first has failed once: the queue had moved it behind the second.
    await add('pim-jobs:product-import', { jobId: 'first' }, `store ${storeId}`, 60)
    await add('releases:publish-catalog', { releaseId: 'second' }, `store ${storeId}`, 0)
    await add('files:remove-content', { fileId: 'third' }, null, 0)
    await database.sql(migration)
    const line = await database.sql('SELECT store_id, name, author, payload FROM long_jobs ORDER BY id')
    expect(line.rows).toEqual([
      {
        store_id: storeId,
        name: 'pim-jobs:product-import',
        author: 'someone request',
        payload: { jobId: 'first' },
      },
      {
        store_id: storeId,
        name: 'releases:publish-catalog',
        author: 'someone request',
        payload: { releaseId: 'second' },
      },
    ])
    const left = await database.sql('SELECT task_identifier FROM graphile_worker.jobs')
    expect(left.rows).toEqual([{ task_identifier: 'files:remove-content' }])
  } finally {
    await database.drop()
  }
})
