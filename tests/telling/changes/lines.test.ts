import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { tokenOf } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let token: string
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  token = (await tokenOf(world.url, world.key.id, world.key.secret, 'client_credentials')) as string
  const { body } = await world.admin.post('/v2/accounts', { data: { type: 'account', name: 'Ash, "old"' } })
  await world.admin.put(`/v2/accounts/${body.data.id}`, { data: { type: 'account', name: 'Birch' } })
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now(), 'updated', 'gadget', 'gadgets', gen_random_uuid(), false, 'system', '', json_build_object('n', n)
     FROM generate_series(1, 250) n`,
    [world.storeId],
  )
  await world.admin.delete(`/v2/accounts/${body.data.id}`)
  await sequence(world.work.store)
})
afterAll(() => world.close())

const get = (path: string, accept: string) =>
  fetch(world.url + path, { headers: { accept, authorization: `Bearer ${token}` } })

/** All objects of a list, page by page. */
async function walk(path: string): Promise<object[]> {
  const all: object[] = []
  for (let next: string | undefined = path; next; ) {
    const { body } = await world.admin.get(next)
    all.push(...body.data)
    const isOver = body.data.length === 0 || body.links.next === null
    next = isOver ? undefined : new URL(body.links.next).pathname + new URL(body.links.next).search
  }
  return all
}

test.each([
  '/v2/changes',
  '/v2/audit',
  '/v2/changes?filter=eq(type,account)',
  '/v2/audit?filter=eq(type,account)',
])('%s as lines has the objects of its pages', async (path) => {
  const response = await get(path, 'application/x-ndjson')
  const text = await response.text()
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect(response.headers.get('sutler-feed-position')).toBe(String(last))
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(await walk(path))
  expect(lines.length).toBeGreaterThan(2)
})

test('lines go on from a position, also as CSV', async () => {
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const response = await get(`/v2/changes?page[after]=${last - 2}`, 'text/csv')
  const [header, ...lines] = (await response.text()).trimEnd().split('\r\n')
  expect(response.headers.get('content-type')).toMatch(/^text\/csv/)
  expect(header).toBe('type,position,event,at,request_id,object.type,object.id,object.parent,actor,data')
  expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual([
    ['change', String(last - 1), 'updated'],
    ['change', String(last), 'deleted'],
  ])
  const none = await get(`/v2/changes?page[after]=${last}`, 'application/x-ndjson')
  expect([none.status, await none.text()]).toEqual([200, ''])
})

test.each([
  ['/v2/changes?page[limit]=10', 'page[limit]'],
  ['/v2/changes?wait=5', 'wait'],
  ['/v2/changes?page[after]=99999', 'page[after]'],
  ['/v2/audit?page[limit]=10', 'page[limit]'],
])('%s is refused as lines', async (path, source) => {
  const response = await get(path, 'application/x-ndjson')
  const { errors } = (await response.json()) as { errors: { source: string }[] }
  expect([response.status, errors[0]?.source]).toEqual([400, source])
})

test('a page without changes stays at the position that was asked for', async () => {
  const reachedOf = async (path: string) => (await world.admin.get(path)).body.meta.feed.reached
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  expect(await reachedOf('/v2/changes?page[limit]=0&page[after]=3')).toBe(3)
  expect(await reachedOf('/v2/changes?page[limit]=0')).toBe(0)
  expect(await reachedOf('/v2/audit?page[limit]=0&page[after]=3')).toBe(3)
  expect(await reachedOf('/v2/audit?page[limit]=0')).toBe(last + 1)
})
