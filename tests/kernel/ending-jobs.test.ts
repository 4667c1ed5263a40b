import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a job that ends while the server stops has ended for the queue too', async () => {
  const customer = { type: 'customer', name: 'Ada', email: 'ada@example.com' }
  const { id } = (await world.admin.post('/v2/customers', { data: customer })).body.data
  const held = world.sql(
    `BEGIN; SELECT FROM customers WHERE id = '${id}' FOR UPDATE; SELECT pg_sleep(2); COMMIT`,
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
