import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../server/kernel/clock.ts'
import { trimChanges } from '../../server/personal-data/logs-ttl.ts'
import { about, logs, makeCustomer } from '../builders/personal-data/people.ts'
import { body } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'
import { untilFeedIsRead } from './feed-is-read.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const logsTtl = '/v2/settings/logs-ttl'
const msPerDay = 86_400_000

test('changes are kept for a year, or as long as the store sets', async () => {
  expect((await world.admin.get(logsTtl)).body).toEqual({ data: { type: 'time_to_live', days: 365 } })
  const changed = await world.admin.put(logsTtl, body('time_to_live', { days: 10 }))
  expect([changed.status, changed.body]).toEqual([200, { data: { type: 'time_to_live', days: 10 } }])
  expect((await world.admin.get(logsTtl)).body.data.days).toBe(10)
  expect((await world.other.get(logsTtl)).body.data.days).toBe(365)
  expect((await world.shopper.get(logsTtl)).status).toBe(403)
})

test.each([
  [{ data: { days: 10 } }, 'data.type'],
  [body('ttl', { days: 10 }), 'data.type'],
  [body('time_to_live', { days: 0 }), 'data.days'],
  [body('time_to_live', { days: 366 }), 'data.days'],
  [body('time_to_live', { days: 1.5 }), 'data.days'],
  [body('time_to_live', { days: null }), 'data.days'],
])('refuses %j', async (sent, source) => {
  const reply = await world.admin.put(logsTtl, sent)
  expect([reply.status, reply.body.errors[0].source]).toEqual([400, source])
})

test('older changes are deleted in batches, by the setting of each store', async () => {
  await world.admin.put(logsTtl, body('time_to_live', { days: 10 }))
  const { customer } = await makeCustomer(world.admin, 'ada')
  const { customer: theirs } = await makeCustomer(world.other, 'berta')
  await world.feed('SELECT')
  // What follows gets its positions nine days later.
  await world.sql(`UPDATE feeds SET given_at = now() + interval '9 days' WHERE store_id = $1`, [
    world.storeId,
  ])
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now() + interval '9 days', 'updated', 'customer', 'customers', $2, true, 'system', '', json_build_object('name', 'Name ' || i)
     FROM generate_series(1, 12000) i`,
    [world.storeId, customer.id],
  )
  const trim = async (days: number) => {
    await untilFeedIsRead(world)
    const clock = { now: () => new Date(systemClock.now().getTime() + days * msPerDay) }
    await trimChanges.run({ ...world.server.instance, clock })
    const count = async (client: World['admin'], id: string) =>
      (await client.get(`${logs}${about('customer', id)}&page[limit]=1`)).body.meta.results.total
    return [await count(world.admin, customer.id), await count(world.other, theirs.id)]
  }
  expect(await trim(9)).toEqual([12001, 1])
  expect(await trim(11)).toEqual([12000, 1])
  // The oldest change has all fields, because the state before it was deleted.
  const { body: oldest } = await world.admin.get(
    `${logs}${about('customer', customer.id)}&page[limit]=1&page[offset]=11999`,
  )
  expect(oldest.data[0].delta).toHaveProperty('name')
  expect(await trim(20)).toEqual([0, 1])
  expect(await trim(366)).toEqual([0, 0])
  expect((await world.admin.get(customer.path)).status).toBe(200)
})
