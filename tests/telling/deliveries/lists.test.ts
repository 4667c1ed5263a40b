import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertJob, insertLog } from '../../builders/telling/deliveries.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const integration = async () => {
  const { body } = await world.admin.post('/v2/integrations', {
    data: {
      ...{ type: 'integration', name: 'Warehouse', integration_type: 'webhook', observes: ['order.paid'] },
      configuration: { url: 'https://shop.example.com/hooks' },
    },
  })
  return body.data.id as string
}

test('a job shows its event, its state and when it is due', async () => {
  const id = await integration()
  const job = await insertJob(world.work, id)
  const { body } = await world.admin.get(`/v2/integrations/${id}/jobs`)
  expect(body.data).toEqual([
    {
      ...{ type: 'integration-job', id: job.id, state: 'waiting', attempt: 0, position: 1 },
      due_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: { id: expect.any(String), key: 'order.paid' },
      resource_id: expect.any(String),
      relationships: { integration: { data: { type: 'integration', id } } },
      meta: { timestamps: { created_at: expect.any(String), updated_at: expect.any(String) } },
    },
  ])
})

test('logs are listed for the store, an integration and a job, the newest first, with both forms of the numbers', async () => {
  const [one, other] = [await integration(), await integration()]
  const [first, second] = [await insertJob(world.work, one), await insertJob(world.work, one)]
  const logs = [
    await insertLog(world.work, one, first.id, 1),
    await insertLog(world.work, one, first.id, 2),
    await insertLog(world.work, one, second.id, 1),
    await insertLog(world.work, other, (await insertJob(world.work, other)).id, 1),
  ].map(({ id }) => id)
  const listed = async (path: string) => {
    const { body } = await world.admin.get(path)
    return [body.data.map(({ id }: { id: string }) => id), body.meta, body.results]
  }
  const numbers = { limit: 25, offset: 0, current: 1, total: 1 }
  const meta = (total: number) => ({ page: numbers, results: { total }, ...numbers })
  const newestFirst = logs.toReversed()
  expect(await listed('/v2/integrations/logs')).toEqual([newestFirst, meta(4), { total: 4 }])
  expect(await listed(`/v2/integrations/${one}/logs`)).toEqual([newestFirst.slice(1), meta(3), { total: 3 }])
  expect(await listed(`/v2/integrations/${one}/jobs/${first.id}/logs`)).toEqual([
    newestFirst.slice(2),
    meta(2),
    { total: 2 },
  ])
})

test('what does not exist has no list', async () => {
  const [one, other] = [await integration(), await integration()]
  const job = await insertJob(world.work, one)
  const status = async (path: string) => (await world.admin.get(path)).status
  const nothing = '00000000-0000-4000-8000-000000000000'
  expect(await status(`/v2/integrations/${nothing}/logs`)).toBe(404)
  expect(await status(`/v2/integrations/${nothing}/jobs`)).toBe(404)
  expect(await status(`/v2/integrations/${one}/jobs/${nothing}/logs`)).toBe(404)
  expect(await status(`/v2/integrations/${other}/jobs/${job.id}/logs`)).toBe(404)
  expect(await status(`/v2/integrations/${one}/jobs/${job.id}/logs`)).toBe(200)
})

test('the logs of an integration stay when it is deleted', async () => {
  const id = await integration()
  const log = await insertLog(world.work, id, (await insertJob(world.work, id)).id)
  await world.admin.delete(`/v2/integrations/${id}`)
  const { body } = await world.admin.get('/v2/integrations/logs?page[limit]=1')
  expect(body.data[0].id).toBe(log.id)
})
