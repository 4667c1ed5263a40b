import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NewJob, queueJobs } from '../../../server/telling/deliveries/fan-out.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const newJobs = (n: number): readonly NewJob[] => {
  const integration_id = randomUUID()
  return Array.from({ length: n }, (_, position) => ({
    ...{ id: randomUUID(), integration_id, event_id: randomUUID(), key: 'order.paid', source: 'orders' },
    ...{ subject_id: randomUUID(), position },
  }))
}

test('a session that knows a short backlog adds to a long one without reading all of it', async () => {
  const { store, clock } = world.work
  const isRolledBack = new Error('nothing of this is to be sent')
  const read = store.transaction(async (inside) => {
    const add = (n: number) => queueJobs(inside, newJobs(n), clock.now())
    const rowsRead = async () => {
      const [row] = await inside.run(
        `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
         WHERE relname = 'integration_jobs' AND $1::uuid IS NOT NULL`,
      )
      return Number(row?.[0])
    }
    for (let i = 0; i < 10; i++) await add(1)
    await add(800)
    const before = await rowsRead()
    await add(100)
    throw Object.assign(isRolledBack, { rows: (await rowsRead()) - before })
  })
  await expect(read).rejects.toBe(isRolledBack)
  // A few for each of the jobs that were added.
  expect((isRolledBack as Error & { rows?: number }).rows).toBeLessThan(2_000)
})
