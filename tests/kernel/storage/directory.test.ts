import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Directory } from '../../../server/kernel/storage/nodes/directory.ts'
import { citusUrl } from '../../support/citus-url.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { until } from '../../support/until.ts'

describe.skipIf(!citusUrl)('on Citus (SUTLER_TEST_CITUS_URL)', () => {
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

  test('each store is in the group that Citus says, and the coordinator needs no address', async () => {
    const { rows } =
      await own.sql(`SELECT id, get_shard_id_for_distribution_column('stores', id) AS shard FROM stores
      UNION ALL SELECT id, get_shard_id_for_distribution_column('stores', id)
        FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 50)) some`)
    // It looks as if another node had everything.
    const asAnother = {
      run: async (sql: Parameters<Database['run']>[0]) => {
        const found = await database.run(sql)
        return sql.text.includes('pg_dist_shard')
          ? found.map((row) => [...row.slice(0, 3), row[2]?.split(' ')[0] ?? null, ...row.slice(4, 6), 't'])
          : found
      },
    }
    const [directory, real] = [new Directory(asAnother, 0), new Directory(database, 0)]
    await Promise.all([directory.refresh(), real.refresh()])
    for (const { id } of rows) directory.addressOf(id)
    real.addressOf(rows[0].id)
    await turn()
    await until(() => Promise.resolve(directory.addressOf(rows.at(-1).id) !== undefined))
    expect(rows.map(({ id }) => directory.addressOf(id)?.host)).toEqual(rows.map(({ shard }) => shard))
    expect(real.addresses).toEqual([])
    expect(real.addressOf(rows[0].id)).toBeUndefined()
  })
})
