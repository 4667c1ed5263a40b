import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type ChangeFilter, lookForChanges, matches } from '../../../server/kernel/feed/look-for-changes.ts'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { Store } from '../../../server/kernel/storage/store.ts'
import { Ctx } from '../../../server/kernel/work/context.ts'
import { streamChanges, usualPace } from '../../../server/telling/changes/stream-changes.ts'
import { takePlace } from '../../../server/telling/changes/waiting.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => world.close())

const path = '/v2/changes'
const newAccount = async (name: string): Promise<string> =>
  (await world.admin.post('/v2/accounts', { data: { type: 'account', name } })).body.data.id

async function lastPosition(): Promise<number> {
  await sequence(world.work.store)
  return (await world.admin.get(`${path}?page[limit]=0`)).body.meta.feed.last
}

/** Counts the statements that look for changes. */
function countReads(): () => number {
  const run = vi.spyOn(Store.prototype, 'run')
  return () => run.mock.calls.filter(([text]) => text.includes('feed_gaps')).length
}

test('a change is read once for all who wait for it', async () => {
  const last = await lastPosition()
  const names = ['Ash', 'Birch', 'Cedar']
  const filters = ['', '&filter=eq(event,created)', '&filter=eq(type,account)', '&page[limit]=1']
  const waiting = Array.from({ length: 40 }, (_, i) =>
    world.admin.get(`${path}?page[after]=${last}&wait=20${filters[i % 4]}`),
  )
  const nobody = world.admin.get(`${path}?page[after]=${last}&wait=1&filter=eq(event,deleted)`)
  await sleep(500)
  const reads = countReads()
  const id = await newAccount(names[0] as string)
  for (const { body } of await Promise.all(waiting)) {
    expect(body.data.map((one: { object: { id: string } }) => one.object.id)).toEqual([id])
    expect(body.meta.feed).toEqual({ oldest: 1, last: last + 1, reached: last + 1 })
  }
  expect(reads()).toBeLessThan(10)
  expect((await nobody).body.data).toEqual([])
})

test.each<ChangeFilter>([
  {},
  { types: ['account'] },
  { types: ['account', 'account_tag'], events: ['updated', 'deleted'] },
  { events: ['created'], actors: ['nobody'] },
  { from: '2020-01-01T00:00:00.000Z', before: '2020-01-01T00:00:00.001Z' },
  { from: '2020-01-01T00:00:00.001Z' },
  { before: '2020-01-01T00:00:00.001Z' },
  { ids: ['00000000-0000-4000-8000-00000000000A'] },
])('%j chooses the same changes in the process as in the database', async (filter) => {
  const begin = await lastPosition()
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, '2020-01-01T00:00:00Z'::timestamptz + n * interval '1 millisecond',
       (ARRAY['created', 'updated', 'deleted'])[1 + n % 3], (ARRAY['account', 'account_tag', 'file'])[1 + n / 3 % 3], 'gadgets',
       ('00000000-0000-4000-8000-00000000000' || (ARRAY['a', 'b'])[1 + n % 2])::uuid, false,
       (ARRAY['nobody', 'system'])[1 + n / 2 % 2], '', '{}' FROM generate_series(0, 17) n`,
    [world.storeId],
  )
  await sequence(world.work.store)
  const stretch = { from: begin, order: 'forwards', most: 100, look: 1_000 } as const
  const all = (await lookForChanges(world.work.store, stretch, {})).changes
  const { changes } = await lookForChanges(world.work.store, stretch, filter)
  expect(all.filter((one) => matches(one, filter))).toEqual(changes)
})

const following = (after: number) => ({
  ...{ after, filter: {}, hungUp: new AbortController().signal, onShown: () => {} },
})
const contextOf = () =>
  new Ctx({
    ...{ store: world.work.store, who: world.work.who, requestId: 'r', instance: world.work.instance },
    ...{ clientAddress: '', baseUrl: '' },
  })

test('a stream that nobody reads ends, and gives its place to another', async () => {
  const last = await lastPosition()
  await newAccount('Unread')
  await sequence(world.work.store)
  const pace = { ...usualPace, streamMaxMs: 200, graceMs: 200 }
  const open = () => streamChanges(contextOf(), following(last), pace)
  const streams = await Promise.all(Array.from({ length: 100 }, open))
  const errors: unknown[] = []
  for (const { body } of streams) (body as Readable).on('error', (error) => errors.push(error)).read(0)
  await expect(open()).rejects.toThrow(/Too many requests of this store/)
  await sleep(800)
  expect(errors.length).toBe(100)
  takePlace(world.work.instance, world.storeId, 'poll')()
})

test('a stream holds little for a client that reads slowly, which still gets each change once', async () => {
  const last = await lastPosition()
  const long = 'x'.repeat(30_000)
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now(), 'created', 'gadget', 'gadgets', gen_random_uuid(), false, 'system', '',
       json_build_object('n', n, 'long', $2::text) FROM generate_series(1, 20) n`,
    [world.storeId, long],
  )
  const end = await lastPosition()
  const reads = countReads()
  const { body } = await streamChanges(contextOf(), following(last), { ...usualPace, patienceMs: 20 })
  const numbers: number[] = []
  for await (const part of body as Readable) {
    expect(part.length).toBeLessThan(70_000)
    await sleep(60)
    for (const [, n] of (part as string).matchAll(/"n" ?: ?(\d+)/g)) numbers.push(Number(n))
    if (numbers.length === end - last) break
  }
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  // What the client had not read was let go of.
  expect(reads()).toBeGreaterThan(3)
})

test('a position that a failover has taken back is refused', async () => {
  await newAccount('Lost')
  const last = await lastPosition()
  const wait = () => world.admin.get(`${path}?page[after]=${last}&wait=1`)
  expect((await wait()).status).toBe(200)
  await world.sql('DELETE FROM changes WHERE store_id = $1 AND position = $2', [world.storeId, last])
  await world.sql('UPDATE feeds SET position = position - 1 WHERE store_id = $1', [world.storeId])
  expect((await wait()).status).toBe(400)
})
