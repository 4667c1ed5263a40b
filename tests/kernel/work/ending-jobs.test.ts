import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WorkerSession } from '../../../server/kernel/work/worker-session.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

test('a job that ends while the server stops is removed from the queue', async () => {
  const customer = { type: 'customer', name: 'Ada', email: 'ada@example.com' }
  const { id } = (await world.admin.post('/v2/customers', { data: customer })).body.data
  const held = world.sql(
    `BEGIN; SELECT FROM customers WHERE store_id = '${world.storeId}' AND id = '${id}' FOR UPDATE;
     SELECT pg_sleep(2); COMMIT`,
  )
  await sleep(200)
  const erase = { type: 'erasure_request', resource_type: 'customer', resource_id: id }
  expect((await world.admin.post('/v2/personal-data/erasure-requests', { data: erase })).status).toBe(201)
  const jobs = async () =>
    (
      await world.sql(
        `SELECT locked_at IS NOT NULL AS locked FROM graphile_worker.jobs
         WHERE task_identifier = 'personal-data:erase-personal-data'`,
      )
    ).rows
  await expect.poll(jobs).toEqual([{ locked: true }])
  await world.server.stop()
  await held
  expect(await jobs()).toEqual([])
  const { rows } = await world.sql(`SELECT doc->>'status' AS status FROM erasure_requests`)
  expect(rows).toEqual([{ status: 'SUCCESS' }])
})

test('the search for lost jobs logs no error while the server stops', async () => {
  // The queue looks after two seconds, not after up to ten.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.2)
  const look = WorkerSession.prototype.returnOrphans
  let looks = false
  let own: World | undefined
  const spy = vi.spyOn(WorkerSession.prototype, 'returnOrphans').mockImplementation(async function (
    this: WorkerSession,
  ) {
    const taken =
      'BEGIN; LOCK TABLE graphile_worker._private_job_queues IN SHARE MODE; SELECT pg_sleep(3); COMMIT'
    void own?.sql(taken)
    await sleep(200)
    looks = own !== undefined
    await look.call(this)
  })
  own = await openWorld({ alone: true })
  const errors = vi.spyOn(own.server.instance.log, 'error')
  await expect.poll(() => looks, { timeout: 10_000 }).toBe(true)
  await own.server.stop()
  expect(errors.mock.calls).toEqual([])
  for (const one of [random, spy]) one.mockRestore()
  await own.close()
})
