import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a follower goes on over the positions that an import has skipped, and one that another server gave is gone', async () => {
  const name = async (text: string) => {
    await world.admin.post('/v2/accounts', { data: { type: 'account', name: text } })
    await sequence(world.work.store)
  }
  await name('Before')
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const until = last + 1_000_000_000
  await world.sql('UPDATE feeds SET position = $2 WHERE store_id = $1', [world.storeId, until])
  await world.sql('INSERT INTO feed_gaps VALUES ($1, $2, $3)', [world.storeId, last, until])
  const skipped = await world.admin.get(`/v2/changes?page[after]=${last - 1}&wait=1`)
  expect([skipped.body.data.length, skipped.body.meta.feed.reached]).toEqual([1, until])
  await name('After')
  const { body } = await world.admin.get(`/v2/changes?page[after]=${last}`)
  expect([body.data, body.meta.feed.reached]).toEqual([[], until])
  const next = await world.admin.get(`/v2/changes?page[after]=${until}`)
  expect(next.body.data.map(({ position }: { position: number }) => position)).toEqual([until + 1])
  for (const position of [last + 1, until - 1]) {
    const { status, body } = await world.admin.get(`/v2/changes?page[after]=${position}`)
    expect([status, body.errors[0].code]).toEqual([410, 'gone'])
  }
  const seen: number[] = []
  for (let query: string | undefined = '?page[limit]=1'; query !== undefined; ) {
    const { data, links }: { data: { position: number }[]; links: { next: string | null } } = (
      await world.admin.get(`/v2/audit${query}`)
    ).body
    seen.push(...data.map(({ position }) => position))
    query = links.next ? new URL(links.next).search : undefined
  }
  expect(seen.slice(0, 2)).toEqual([until + 1, last])
  expect([seen.length, seen.at(-1)]).toEqual([last + 1, 1])
})
