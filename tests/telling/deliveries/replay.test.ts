import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { feedPosition } from '../../../server/kernel/feed/sequence.ts'
import { newAccount, openHook } from '../../builders/telling/hooks.ts'
import { databaseUrl } from '../../support/own-database.ts'
import { body } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const replay = (path: string, window: object) =>
  world.admin.post(`${path}/replay`, { data: { type: 'integration-replay', ...window } })

test('a replay sends the events of a window again, with the same ids, in order', async () => {
  const hook = await openHook(world.admin, ['account.created', 'account.updated'])
  const id = await newAccount(world.admin, 'Ash')
  for (const name of ['Ash 1', 'Ash 2'])
    await world.admin.put(`/v2/accounts/${id}`, { data: { type: 'account', name } })
  const before = await hook.ended(3)
  const first = hook.requests.map(({ body }) => [body.id, body.triggered_by, body.payload.data.name])
  hook.forget()
  const window = body('integration-replay', { from_position: 1 })
  const dry = await world.admin.post(`${hook.path}/replay`, window, { prefer: 'dry-run' })
  expect(dry.body.data).toMatchObject({ events: 3, counted_to_position: dry.body.data.to_position })
  const { status, body: answer } = await replay(hook.path, { from_position: 1 })
  expect(status).toBe(202)
  expect(answer.data).toMatchObject({ type: 'integration-replay', integration_id: hook.id, from_position: 1 })
  const again = await hook.got(3)
  expect(again.map(({ body }) => [body.id, body.triggered_by, body.payload.data.name])).toEqual(first)
  expect(again.map(({ body }) => body.attempt)).toEqual([1, 1, 1])
  expect((await hook.ended(3)).map((job) => job.id)).toEqual(before.map((job) => job.id))
  await hook.remove()
})

test('a replay brings what happened before the integration existed, and only its window', async () => {
  await newAccount(world.admin, 'Birch')
  const middle = new Date().toISOString()
  await newAccount(world.admin, 'Cedar')
  const hook = await openHook(world.admin, ['account.created'])
  await newAccount(world.admin, 'Date')
  await hook.ended(1)
  hook.forget()
  const last = (await replay(hook.path, { from: middle })).body.data.to_position
  expect((await hook.got(2)).map(({ body }) => body.payload.data.name).sort()).toEqual(['Cedar', 'Date'])
  await hook.ended(2)
  hook.forget()
  await replay(hook.path, { from_position: last, to_position: last })
  expect((await hook.got(1)).map(({ body }) => body.payload.data.name)).toEqual(['Date'])
  await hook.remove()
})

test.each([
  [{}, 422, 'data.from_position'],
  [{ from_position: 10_000_000 }, 422, 'data'],
  [{ from_position: 5, to_position: 4 }, 422, 'data'],
  [{ to: '2020-01-01T00:00:00Z', from: '2019-01-01T00:00:00Z' }, 422, 'data'],
  [{ to: '2020-01-01T00:00:00-18:00', from: '2019-01-01T00:00:00+23:59' }, 422, 'data'],
  [{ from: 'yesterday' }, 400, 'data.from'],
  [{ from_position: -1 }, 400, 'data.from_position'],
])('the window %o is refused', async (window, status, source) => {
  const hook = await openHook(world.admin, ['account.created'])
  const answer = await replay(hook.path, window)
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body)).toContain(source)
  await hook.remove()
})

test('a disabled integration and a trimmed window are refused', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  const position = await feedPosition(world.work.store)
  await world.sql('UPDATE feeds SET trimmed = $2 WHERE store_id = $1', [world.storeId, position - 1])
  const trimmed = await replay(hook.path, { from_position: 1 })
  expect([trimmed.status, trimmed.body.errors[0].detail]).toEqual([
    422,
    expect.stringMatching(/no longer in the feed/),
  ])
  await world.sql('UPDATE feeds SET trimmed = 0 WHERE store_id = $1', [world.storeId])
  await world.admin.put(hook.path, { data: { type: 'integration', enabled: false } })
  const disabled = await replay(hook.path, { from_position: 1 })
  expect([disabled.status, disabled.body.errors[0].detail]).toEqual([422, expect.stringMatching(/disabled/)])
  await hook.remove()
})

test('a replay right after an integration was enabled again is not dropped with what waited before', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  const from = new Date().toISOString()
  await newAccount(world.admin, 'Elm')
  await hook.ended(1)
  hook.forget()
  const gate = new pg.Client(databaseUrl(inject('postgres'), world.database))
  await gate.connect()
  // Nobody reads the feed, and the receiver does not answer.
  await gate.query(`SELECT pg_advisory_lock(hashtextextended('fan out ' || $1, 0))`, [world.storeId])
  let answer = () => {}
  const answers = new Promise<void>((done) => {
    answer = done
  })
  hook.answer = (_, response) => void answers.then(() => response.end('ok'))
  for (const enabled of [false, true])
    await world.admin.put(hook.path, { data: { type: 'integration', enabled } })
  const { body } = await replay(hook.path, { from })
  await sleep(1000)
  await gate.end()
  await until(async () => {
    const { rows } = await world.sql('SELECT position FROM feed_readers WHERE store_id = $1', [world.storeId])
    return Number(rows[0].position) >= body.data.to_position || undefined
  })
  answer()
  const last = (await hook.ended(1)).at(-1)
  expect([last?.state, last?.reason]).toEqual(['succeeded', undefined])
  await hook.remove()
})

test('a store has ten replays at a time, because each takes time of the workers of all stores', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  // A replay does not go on while a thousand of its events wait.
  await world.sql(
    `INSERT INTO integration_jobs (store_id, id, created_at, updated_at, integration_id, event_id, key, source,
       subject_id, position, due_at)
     SELECT $1, gen_random_uuid(), now(), now(), $2, gen_random_uuid(), 'account.created', 'accounts',
       gen_random_uuid(), 1, now() + interval '1 hour' FROM generate_series(1, 1000)`,
    [world.storeId, hook.id],
  )
  const begun = await Promise.all(Array.from({ length: 12 }, () => replay(hook.path, { from_position: 1 })))
  const statuses = begun.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429, 429])
  const refused = begun.find(({ status }) => status === 429)
  expect([refused?.body.errors[0].code, refused?.headers.get('retry-after')]).toEqual(['rate_limited', '5'])
  await world.sql('DELETE FROM integration_jobs WHERE integration_id = $1', [hook.id])
  await until(async () => (await replay(hook.path, { from_position: 1 })).status === 202 || undefined)
  await hook.remove()
})

test('an integration that is deleted while it is tested is not found', async () => {
  const test = async () => {
    const hook = await openHook(world.admin, ['account.created'])
    const tests = [1, 2, 3].map(() => world.admin.post(`${hook.path}/test`, {}))
    await hook.remove()
    return (await Promise.all(tests)).map(({ status }) => status)
  }
  for (let round = 0; round < 20; round++)
    for (const status of await test()) expect([200, 404]).toContain(status)
})
