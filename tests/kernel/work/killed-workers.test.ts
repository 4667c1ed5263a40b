import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Job, LongJob } from '../../../server/kernel/work/job.ts'
import { startJobs } from '../../../server/kernel/work/jobs.ts'
import { databaseUrl } from '../../support/own-database.ts'
import { openWorld, type World } from '../../support/world.ts'

/** What a worker had that was killed: the queue knows it by the name of its pool. */

const done: string[] = []
const finish = async (_work: unknown, name: string) => void done.push(name)
const short: Job<string> = { name: 'tests:short', attemptsMax: 3, run: finish }
const long: LongJob<string> = {
  name: 'tests:long',
  long: true,
  run: finish,
  wait: async () => {},
  giveUp: async () => {},
}

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

/** All jobs of the tests are in the hands of this worker: the short ones for a while, the long ones since now. */
async function takeAll(worker: string): Promise<void> {
  const since = { 'graphile_worker._private_jobs': '1 minute', long_jobs: '0' }
  for (const [table, age] of Object.entries(since))
    await world.sql(
      `UPDATE ${table} SET locked_by = $1, locked_at = now() - $2::interval WHERE payload::text ~ 'orphaned|kept'`,
      [worker, age],
    )
}

async function openSession(worker: string): Promise<pg.Client> {
  const session = new pg.Client(databaseUrl(inject('postgres'), world.database))
  await session.connect()
  await session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [worker])
  return session
}

test.each([
  ['short', short],
  ['long', long],
])(
  'the %s jobs of a dead worker continue, and those of a live one stay with it',
  async (_length, job) => {
    const { instance } = world.server
    done.length = 0
    await world.work.later(job as Job<string>, 'orphaned')
    await takeAll('pool-killed')
    const first = await startJobs([job], [], instance)
    await expect.poll(() => done, { timeout: 8000 }).toEqual(['orphaned'])
    await first.stop()

    await world.work.later(job as Job<string>, 'kept')
    await takeAll('pool-alive')
    const alive = await openSession('pool-alive')
    const second = await startJobs([job], [], instance)
    await sleep(2000)
    expect(done).toEqual(['orphaned'])
    await second.stop()
    await alive.end()
    const third = await startJobs([job], [], instance)
    await expect.poll(() => done, { timeout: 8000 }).toEqual(['orphaned', 'kept'])
    await third.stop()
  },
  30_000,
)

test('a long job returned by a stopping server is the first of its store, and counts no attempt', async () => {
  const { instance } = world.server
  const gate = Promise.withResolvers<void>()
  const endless = { ...long, run: () => gate.promise }
  await world.work.later(endless, 'first')
  await world.work.later(endless, 'second')
  const process = await startJobs([endless], [], instance)
  const line = async () =>
    (await world.sql('SELECT payload, starts, locked_by IS NOT NULL AS runs FROM long_jobs ORDER BY id')).rows
  const second = { payload: 'second', starts: 0, runs: false }
  await expect.poll(line, { timeout: 8000 }).toEqual([{ payload: 'first', starts: 1, runs: true }, second])
  await process.stop()
  expect(await line()).toEqual([{ payload: 'first', starts: 0, runs: false }, second])
  gate.resolve()
}, 20_000)

test('a long job continues in its process when the session that marks the process as alive is ended', async () => {
  const { instance } = world.server
  done.length = 0
  await world.sql('DELETE FROM long_jobs')
  const process = await startJobs([long], [], instance)
  const { rowCount } = await world.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  expect(rowCount).toBeGreaterThan(0)
  const alive = async () =>
    (
      await world.sql(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
    ).rowCount
  // Sooner than others look for the dead.
  await expect.poll(alive, { timeout: 2000 }).toBe(rowCount)
  await world.work.later(long, 'after')
  await expect.poll(() => done, { timeout: 8000 }).toEqual(['after'])
  await process.stop()
}, 20_000)
