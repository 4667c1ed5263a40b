import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sequence } from '../../server/kernel/feed/sequence.ts'
import { trimChanges } from '../../server/personal-data/logs-ttl.ts'
import { body } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'
import { untilFeedIsRead } from './feed-is-read.ts'

let world: World
let otherId: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  otherId = (await world.sql('SELECT id FROM stores WHERE id <> $1', [world.storeId])).rows[0].id
  await world.feed('SELECT')
})
afterAll(() => world.close())

const day = 86_400_000
/** What follows in the store's feed gets its positions so many days from now. */
const laterIn = (days: number) =>
  world.sql(`UPDATE feeds SET given_at = now() + $2 * interval '1 day' WHERE store_id = $1`, [
    world.storeId,
    days,
  ])
const trim = async (days: number) => {
  await untilFeedIsRead(world)
  await trimChanges.run({
    ...world.server.instance,
    clock: { now: () => new Date(Date.now() + days * day) },
  })
}
const partitions = async () =>
  (
    await world.sql(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'changes'::regclass ORDER BY 1`,
    )
  ).rows.map(({ name }) => name as string)
const makeAccount = async () => {
  await world.admin.post('/v2/accounts', body('account', { name: 'Ash' }))
  await sequence(world.work.store)
}
const page = async (query = '') => (await world.admin.get(`/v2/changes?${query}`)).body

beforeEach(async () => {
  await world.admin.put('/v2/settings/logs-ttl', body('time_to_live', { days: 10 }))
  await sequence(world.work.store)
})

test('what a reader has not read is kept, and readers who are before the rest are told', async () => {
  await makeAccount()
  const { feed } = (await page('page[limit]=0')).meta
  await laterIn(20)
  await makeAccount()
  await world.sql(`INSERT INTO feed_readers VALUES ($1, 'test', $2)`, [world.storeId, feed.last - 1])
  await trim(15)
  expect((await page('page[limit]=1')).data[0].position).toBe(feed.last)
  await world.sql(`DELETE FROM feed_readers WHERE reader = 'test'`)
  await trim(15)
  expect((await page('page[limit]=1')).data[0].position).toBe(feed.last + 1)
  expect((await page(`page[after]=${feed.last - 1}`)).errors[0].meta).toEqual({ oldest: feed.last + 1 })
  expect((await page(`page[after]=${feed.last}`)).data.length).toBe(1)
})

test('a week that no store needs is dropped', async () => {
  for (const weeks of [-5, -4]) {
    await world.sql("CALL keep_partition(now() + $1 * interval '7 days')", [weeks])
    await world.sql(
      `INSERT INTO changes (store_id, position, at, event, type, source, id, personal, actor, request_id, given_at)
       VALUES ($1, $2, now(), 'deleted', 'gadget', 'gadgets', $3, false, 'system', '', now() + $4 * interval '7 days')`,
      [otherId, weeks + 6, randomUUID(), weeks],
    )
  }
  const before = await partitions()
  await world.sql(
    'INSERT INTO feeds (store_id, position) VALUES ($1, 2) ON CONFLICT (store_id) DO UPDATE SET position = greatest(feeds.position, 2), trimmed = 1',
    [otherId],
  )
  await world.sql('UPDATE feeds SET trimmed = 1 WHERE store_id = $1', [otherId])
  await world.sql('CALL drop_trimmed_partitions()')
  const after = await partitions()
  expect(before.filter((name) => !after.includes(name)).length).toBe(1)
  await world.sql('UPDATE feeds SET trimmed = 2 WHERE store_id = $1', [otherId])
  await world.sql('CALL drop_trimmed_partitions()')
  expect((await partitions()).length).toBe(after.length - 1)
})

test('logs of deliveries, and jobs that have ended, are deleted too', async () => {
  const integration = randomUUID()
  const job = (state: string, days: number) =>
    world.sql(
      `INSERT INTO integration_jobs (store_id, id, created_at, updated_at, integration_id, event_id, key, source, subject_id, position, state)
       VALUES ($1, $2, now() - $4 * interval '1 day', now(), $3, $2, 'account.created', 'accounts', $2, 1, $5)`,
      [world.storeId, randomUUID(), integration, days, state],
    )
  await job('succeeded', 11)
  await job('waiting', 11)
  await job('succeeded', 9)
  for (const days of [9, 11]) {
    await world.sql(
      `INSERT INTO integration_logs (store_id, id, created_at, updated_at, doc, integration_id, job_id)
       VALUES ($1, $2, now() - $4 * interval '1 day', now(), '{}', $3, $2)`,
      [world.storeId, randomUUID(), integration, days],
    )
  }
  await trim(0)
  const { rows } = await world.sql(
    `SELECT (SELECT count(*)::int FROM integration_jobs) AS jobs, (SELECT count(*)::int FROM integration_logs) AS logs`,
  )
  expect(rows[0]).toEqual({ jobs: 2, logs: 1 })
})
