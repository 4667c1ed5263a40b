import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetChangesOf } from '../../server/kernel/feed/erase.ts'
import { Store } from '../../server/kernel/storage/store.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an index finds what the feed says about an object, however long the feed is', async () => {
  const texts: string[] = []
  class Watched extends Store {
    override run(text: string) {
      texts.push(text)
      return Promise.resolve([])
    }
  }
  const { database } = world.server.instance
  await forgetChangesOf(new Watched(world.storeId, database, () => new Date(), 'nobody'), ['orders'], [])
  const client = await database.pool.connect()
  try {
    // The feed of a test is short, so reading all of it would be the cheapest.
    await client.query('SET enable_seqscan = off')
    const { rows } = await client.query(`EXPLAIN ${texts[0]}`, [world.storeId, ['orders'], [randomUUID()]])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('changes_of_personal_data')
  } finally {
    client.release(true)
  }
})
