import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { shownDoc } from '../../../server/telling/changes/change-text.ts'
import { about, logs } from '../../builders/personal-data/people.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = '/v2/changes'
const account = (name: string) => ({ data: { type: 'account', name } })

/** The position of the last change. */
async function lastOf(client = world.admin): Promise<number> {
  await sequence(world.work.store)
  return (await client.get(`${path}?page[limit]=0`)).body.meta.feed.last
}

const factsOf = ({
  event,
  object,
  data,
}: {
  event: string
  object: { type: string }
  data: { name?: string } | null
}) => [event, object.type, data?.name]

test('a follower goes on from a position, and gets each change once and in order', async () => {
  const start = await lastOf()
  const { headers, body } = await world.admin.post('/v2/accounts', account('Ash'))
  const { id } = body.data
  await world.admin.put(`/v2/accounts/${id}`, account('Birch'))
  await world.admin.delete(`/v2/accounts/${id}`)
  await sequence(world.work.store)
  const { body: first } = await world.admin.get(`${path}?page[after]=${start}&page[limit]=2`)
  expect(first.data.map(factsOf)).toEqual([
    ['created', 'account', 'Ash'],
    ['updated', 'account', 'Birch'],
  ])
  expect(first.data[0]).toMatchObject({
    type: 'change',
    position: start + 1,
    request_id: headers.get('x-request-id'),
    object: { id, parent: null },
  })
  expect(first.meta).toEqual({ page: { limit: 2 }, feed: { oldest: 1, last: start + 3, reached: start + 2 } })
  const next = new URL(first.links.next)
  const { body: second } = await world.admin.get(next.pathname + next.search)
  expect(second.data.map(factsOf)).toEqual([['deleted', 'account', undefined]])
  expect([second.data[0].data, second.meta.feed.reached]).toEqual([null, start + 3])
})

test.each([
  ['eq(type,account_tag)', ['account_tag created', 'account_tag created']],
  ['in(type,account,account_tag):eq(event,updated)', ['account updated']],
  ['ge(at,2020-01-01T00:00:00Z):lt(at,2100-01-01):eq(event,deleted)', ['account deleted']],
  ['lt(at,2020-01-01)', []],
  ['eq(actor,nobody)', []],
])('%s chooses changes', async (filter, expected) => {
  const start = await lastOf()
  const { body } = await world.admin.post('/v2/accounts', account('Ash'))
  for (const name of ['one', 'two']) {
    await world.admin.post('/v2/account-tags', { data: { type: 'account_tag', name: name + start } })
  }
  await world.admin.put(`/v2/accounts/${body.data.id}`, account('Birch'))
  await world.admin.delete(`/v2/accounts/${body.data.id}`)
  await sequence(world.work.store)
  const from = `${path}?page[after]=${start}`
  const found = await world.admin.get(`${from}&filter=${filter}`)
  const shown = found.body.data.map(
    (one: { object: { type: string }; event: string }) => `${one.object.type} ${one.event}`,
  )
  expect([shown, found.body.meta.feed.reached]).toEqual([expected, start + 5])
  const byId = await world.admin.get(`${from}&filter=eq(id,${body.data.id})`)
  expect(byId.body.data.length).toBe(3)
})

test.each([
  ['page[after]=x', 'page[after]'],
  ['page[after]=-1', 'page[after]'],
  ['page[after]=99999999999999999', 'page[after]'],
  ['page[before]=5', 'page[after]'],
  ['page[offset]=5', 'page[after]'],
  ['page[limit]=101', 'page[limit]'],
  ['sort=at', 'sort'],
  ['wait=31', 'wait'],
  ['wait=x', 'wait'],
  ['wait=0&wait=5', 'wait'],
  ['filter=eq(name,x)', 'filter'],
  ['filter=eq(__proto__,x)', 'filter'],
  ['filter=eq(at,2020-01-01)', 'filter'],
  ['filter=ge(at,tomorrow)', 'filter'],
  ['filter=ge(at,2020-13-01)', 'filter'],
  ['filter=ge(at,2021-02-29)', 'filter'],
  ['filter=ge(at,0000-01-01)', 'filter'],
  ['filter=lt(at,9999-12-31T23:59:59-00:01)', 'filter'],
  [`filter=eq(id,${'x'.repeat(256)})`, 'filter'],
  ['filter=eq(type,a)|eq(type,b)', 'filter'],
  ['filter=eq(type,a):eq(type,b)', 'filter'],
])('refuses %s', async (query, source) => {
  for (const list of [path, '/v2/audit']) {
    if (list === '/v2/audit' && query.startsWith('wait')) continue
    const { status, body } = await world.admin.get(`${list}?${query}`)
    expect([status, body.errors?.[0].source]).toEqual([400, source])
  }
})

test('is for the merchant, and each store has its own', async () => {
  for (const list of [path, '/v2/audit']) {
    expect((await world.shopper.get(list)).status).toBe(403)
    expect((await world.nobody.get(list)).status).toBe(401)
  }
  const { body } = await world.admin.post('/v2/accounts', account('Ours'))
  await sequence(world.work.store)
  const theirs = await world.other.get(`${path}?filter=eq(id,${body.data.id})`)
  expect([theirs.status, theirs.body.data]).toEqual([200, []])
})

test('a position that was trimmed is gone, and one that was not reached is refused', async () => {
  const last = await lastOf()
  const ahead = await world.admin.get(`${path}?page[after]=${last + 1}`)
  expect([ahead.status, ahead.body.errors[0].detail]).toEqual([
    400,
    expect.stringContaining(`at most ${last}`),
  ])
  await world.sql('UPDATE feeds SET trimmed = 2 WHERE store_id = $1', [world.storeId])
  const gone = await world.admin.get(`${path}?page[after]=1`)
  expect([gone.status, gone.body.errors[0].code, gone.body.errors[0].meta]).toEqual([
    410,
    'gone',
    { oldest: 3 },
  ])
  const stream = await world.admin.get(path, { accept: 'text/event-stream', 'last-event-id': '1' })
  const lines = await world.admin.get(`${path}?page[after]=1`, { accept: 'application/x-ndjson' })
  expect([stream, lines].map(({ status, body }) => [status, body.errors[0].meta.oldest])).toEqual([
    [410, 3],
    [410, 3],
  ])
  expect((await world.admin.get(`${path}?page[after]=2`)).status).toBe(200)
  const oldest = await world.admin.get(`${path}?page[limit]=1`)
  expect([oldest.body.data[0].position, oldest.body.meta.feed.oldest]).toEqual([3, 3])
  await world.sql('UPDATE feeds SET trimmed = 0 WHERE store_id = $1', [world.storeId])
})

test('a filter that matches nothing looks at a part of the feed, and says how far it came', async () => {
  const start = await lastOf()
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now(), 'updated', 'gadget', 'gadgets', gen_random_uuid(), false, 'system', '', '{}' FROM generate_series(1, 25000)`,
    [world.storeId],
  )
  const last = await lastOf()
  let reached = start
  const steps: number[] = []
  while (reached < last) {
    const { body } = await world.admin.get(`${path}?page[after]=${reached}&filter=eq(type,nothing)&wait=1`)
    expect(body.data).toEqual([])
    steps.push(body.meta.feed.reached - reached)
    reached = body.meta.feed.reached
  }
  expect(steps).toEqual([10_000, 10_000, last - start - 20_000])
  const audit = await world.admin.get('/v2/audit?filter=eq(type,nothing)')
  expect([audit.body.data, audit.body.links.next]).toEqual([[], expect.stringContaining('page%5Bafter%5D=')])
})

describe('waiting', () => {
  test('ends with the next change that matches, or with the time', async () => {
    const start = await lastOf()
    const waiting = world.admin.get(`${path}?page[after]=${start}&wait=30&filter=eq(type,account)`)
    await world.admin.post('/v2/account-tags', { data: { type: 'account_tag', name: `waited ${start}` } })
    await sleep(300)
    await world.admin.post('/v2/accounts', account('Awaited'))
    expect((await waiting).body.data.map(factsOf)).toEqual([['created', 'account', 'Awaited']])
    const began = performance.now()
    const none = await world.admin.get(`${path}?page[after]=${await lastOf()}&wait=1`)
    expect([none.body.data, performance.now() - began > 900]).toEqual([[], true])
  })

  test('is limited for each store, and other requests are not delayed', async () => {
    const last = await lastOf()
    const ended: number[] = []
    const waiting = Array.from({ length: 105 }, async () => {
      const { status } = await world.admin.get(`${path}?page[after]=${last}&wait=20`)
      ended.push(status)
    })
    await until(async () => ended.length === 5 || undefined)
    expect(ended).toEqual([429, 429, 429, 429, 429])
    expect((await world.other.get(`${path}?wait=1`)).status).toBe(200)
    await world.admin.post('/v2/accounts', account('Ends them'))
    await Promise.all(waiting)
    expect(ended.filter((status) => status === 200).length).toBe(100)
    expect((await world.admin.get(`${path}?page[after]=${await lastOf()}&wait=1`)).status).toBe(200)
  })
})

test('what is shown of objects with personal data is in their log', async () => {
  const { body } = await world.admin.post('/v2/accounts', account('Private'))
  await sequence(world.work.store)
  expect(
    (await world.admin.get(`${path}?filter=eq(id,${body.data.id})&page[after]=${(await lastOf()) - 1}`)).body
      .data.length,
  ).toBe(1)
  await until(async () => {
    const { body: log } = await world.admin.get(`${logs}${about('account', body.data.id)}`)
    return (
      log.data.some((one: { event_type: string }) => one.event_type === 'account.event.read') || undefined
    )
  })
})

test('a sealed secret of an event is not shown', () => {
  const doc = '{"a":1,"sealed_one_time_password_token":"x"}'
  expect(shownDoc({ event: 'one-time-password-token-request.created', doc })).toBe('{"a":1}')
  expect(shownDoc({ event: 'created', doc: '{"a":\n1}' })).toBe('{"a": 1}')
})
