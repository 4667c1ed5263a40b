import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetChangesOf } from '../../../server/kernel/feed/erase.ts'
import { Store } from '../../../server/kernel/storage/store.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an index finds what the feed says about an object, however long the feed is', async () => {
  const texts: string[] = []
  class WatchedStore extends Store {
    override run(text: string) {
      texts.push(text)
      return Promise.resolve([])
    }
  }
  const { database } = world.server.instance
  await forgetChangesOf(new WatchedStore(world.storeId, database, () => new Date(), 'nobody'), ['orders'], [])
  const client = await database.pool.connect()
  try {
    // The feed of a test is short, so reading all of it would be the cheapest. This is gone with the connection.
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO changes (store_id, position, at, event, type, source, id, scope, personal, actor, request_id, given_at)
       SELECT $1, 1000000 + n, now(), 'updated', 'order', 'orders', gen_random_uuid(), gen_random_uuid(), true, '', '', now()
       FROM generate_series(1, 5000) n`,
      [world.storeId],
    )
    await client.query('ANALYZE changes')
    const { rows } = await client.query(`EXPLAIN ${texts[0]}`, [world.storeId, ['orders'], [randomUUID()]])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    const week = await client.query(
      'SELECT max(tableoid)::regclass AS name FROM changes WHERE position > 1000000',
    )
    // By the object, and not through all changes of the store. In weeks without changes any index will do.
    const condition = new RegExp(`on ${week.rows[0].name} .*\\n *Index Cond: (.*)`).exec(plan)?.[1]
    expect(condition, plan).toContain('(id = ANY')
  } finally {
    client.release(true)
  }
})
