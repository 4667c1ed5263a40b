import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Job, startJobs } from '../../server/kernel/jobs.ts'
import { databaseUrl } from '../support/own-database.ts'
import { openWorld, type World } from '../support/world.ts'

/** What a worker had that was killed: the queue knows it by the name of its pool. */

const done: string[] = []
const long: Job<string> = {
  name: 'tests:long',
  attemptsMax: 3,
  long: true,
  run: async (_work, name) => void done.push(name),
}

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** Its first long job is in the hands of this worker, and has been for a while. */
async function takeQueue(storeId: string, worker: string): Promise<void> {
  const values = [`store ${storeId}`, worker]
  await world.sql(
    `INSERT INTO graphile_worker._private_job_queues AS q (queue_name, locked_by, locked_at)
     VALUES ($1, $2, now() - interval '1 minute')
     ON CONFLICT (queue_name) DO UPDATE SET locked_by = excluded.locked_by, locked_at = excluded.locked_at`,
    values,
  )
  await world.sql(
    `UPDATE graphile_worker._private_jobs j SET locked_by = $2, locked_at = now() - interval '1 minute', attempts = 1
     FROM graphile_worker._private_job_queues q WHERE q.id = j.job_queue_id AND q.queue_name = $1`,
    values,
  )
}

test('the jobs of a worker that is no more go on, those of one that lives are left to it', async () => {
  const { instance } = world.server
  const { rows } = await world.sql('SELECT id FROM stores WHERE id <> $1', [world.storeId])
  const other = rows[0].id as string
  await world.work.later(long, 'orphaned')
  await takeQueue(world.storeId, 'pool-killed')
  await world.sql(
    `SELECT graphile_worker.add_job('tests:long', json_build_object('store', $1::text, 'by', 'x y', 'payload', 'kept'),
       queue_name => 'store ' || $1, max_attempts => 3)`,
    [other],
  )
  await takeQueue(other, 'pool-alive')
  const database = (await world.sql('SELECT current_database() AS name')).rows[0].name
  const alive = new pg.Client(databaseUrl(inject('postgres'), database))
  await alive.connect()
  await alive.query(`SELECT pg_advisory_lock(hashtextextended('pool-alive', 0))`)

  const first = await startJobs([long], [], instance)
  await expect.poll(() => done, { timeout: 8000 }).toEqual(['orphaned'])
  // One that was done is gone a moment later.
  const locked = async () =>
    (await world.sql(`SELECT locked_by FROM graphile_worker.jobs WHERE task_identifier = 'tests:long'`)).rows
  await expect.poll(locked, { timeout: 8000 }).toEqual([{ locked_by: 'pool-alive' }])
  await first.stop()

  await alive.end()
  const second = await startJobs([long], [], instance)
  await expect.poll(() => done, { timeout: 8000 }).toEqual(['orphaned', 'kept'])
  await second.stop()
})
