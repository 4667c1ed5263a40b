import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Clock } from '../../../server/kernel/clock.ts'
import { type Hook, newAccount, openHook } from '../../builders/telling/hooks.ts'
import type { ReceivedRequest } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

/** The server's time: the real one, and what the tests add to it. */
let aheadMs = 0
const clock: Clock = { now: () => new Date(Date.now() + aheadMs) }
const pass = (seconds: number) => {
  aheadMs += seconds * 1_000
}

let world: World
beforeAll(async () => {
  // The tests pass hours.
  world = await openWorld({ alone: true, clock, env: { SUTLER_TOKEN_LIFETIME_S: '31536000' } })
})
afterAll(() => world.close())

const fails = (hook: Hook, status = 500) => {
  hook.answer = (_received, response) => void response.writeHead(status).end('broken')
}

const rename = (id: string, name: string) =>
  world.admin.put(`/v2/accounts/${id}`, { data: { type: 'account', name } })

/** Lets the next attempts begin as they fall due, until no job waits. */
async function passUntilEnded(hook: Hook, jobs: number) {
  return until(async () => {
    const all = await hook.jobs()
    if (all.length >= jobs && all.every(({ state }) => state !== 'waiting')) return all
    // While an attempt is under way, the time of its lease must not pass.
    const { rowCount } = await world.sql(
      `SELECT FROM integration_jobs WHERE state = 'waiting' AND (leased_until IS NOT NULL OR due_at <= $1)`,
      [clock.now()],
    )
    if (!rowCount) pass(30)
    return undefined
  }, 60_000)
}

/** The object that a webhook shows. That of a deletion has no envelope. */
const subjectOf = ({ payload }: ReceivedRequest['body']) => payload.data ?? payload

test('a failed event is tried five times, in growing intervals, and is dead then', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  fails(hook)
  await newAccount(world.admin, 'Ash')
  await hook.got(1)
  const [waiting] = await until(async () => {
    const jobs = await hook.jobs()
    return jobs[0]?.attempt === 1 ? jobs : undefined
  })
  expect(waiting).toMatchObject({ state: 'waiting', attempt: 1 })
  // Eight seconds are the least that the second attempt waits.
  pass(6)
  await new Promise((done) => setTimeout(done, 700))
  expect(hook.requests.length).toBe(1)
  for (const [attempts, seconds] of [
    [2, 7],
    [3, 72],
    [4, 360],
    [5, 1080],
  ] as const) {
    pass(seconds)
    await hook.got(attempts)
    await until(async () => ((await hook.jobs())[0]?.attempt === attempts ? true : undefined))
  }
  const [job] = await hook.jobs()
  expect(job).toMatchObject({ state: 'dead', attempt: 5 })
  expect(job?.reason).toMatch(/outside of 2xx/)
  pass(3_600)
  await new Promise((done) => setTimeout(done, 700))
  expect(hook.requests.length).toBe(5)
  // All attempts differ in their number only.
  expect(hook.requests.map(({ body }) => body.attempt)).toEqual([1, 2, 3, 4, 5])
  expect(new Set(hook.requests.map(({ body }) => JSON.stringify({ ...body, attempt: 0 }))).size).toBe(1)
  const { body } = await world.admin.get(`${hook.path}/logs`)
  expect(body.data.map((log: { attempt: number }) => log.attempt)).toEqual([5, 4, 3, 2, 1])
  expect(body.data[0]).toMatchObject({ succeeded: false, status_code: 500, body: 'broken' })
  await hook.remove()
})

test('the events of an object keep their order while one fails, and those of others pass', async () => {
  const hook = await openHook(world.admin, ['account.created', 'account.updated', 'account.deleted'])
  const failing = await newAccount(world.admin, 'Birch')
  await hook.got(1)
  hook.forget()
  let failures = 2
  hook.answer = ({ body }, response) => {
    const { id } = subjectOf(body)
    response.writeHead(id === failing && failures-- > 0 ? 503 : 200).end()
  }
  await rename(failing, 'Birch 1')
  await rename(failing, 'Birch 2')
  await world.admin.delete(`/v2/accounts/${failing}`)
  const other = await newAccount(world.admin, 'Cedar')
  // They are sent side by side, so either may come first.
  for (const id of [failing, other])
    await until(async () => hook.requests.find(({ body }) => subjectOf(body).id === id))
  expect(hook.requests.filter(({ body }) => subjectOf(body).id === failing).length).toBe(1)
  await passUntilEnded(hook, 5)
  const seen = hook.requests.filter(({ body }) => subjectOf(body).id === failing)
  expect(seen.map(({ body }) => [body.triggered_by, body.attempt, subjectOf(body).name])).toEqual([
    ['account.updated', 1, 'Birch 1'],
    ['account.updated', 2, 'Birch 1'],
    ['account.updated', 3, 'Birch 1'],
    ['account.updated', 1, 'Birch 2'],
    ['account.deleted', 1, undefined],
  ])
  await hook.remove()
})

test('twenty dead events in a row pause an integration, which drops what waits, until it is enabled again', async () => {
  const watching = await openHook(world.admin, ['integration.paused'])
  const hook = await openHook(world.admin, ['account.created'])
  fails(hook)
  for (let n = 0; n < 21; n++) await newAccount(world.admin, `Elm ${n}`)
  const jobs = await passUntilEnded(hook, 21)
  expect(jobs.filter(({ state }) => state === 'dead').length).toBeGreaterThanOrEqual(20)
  const paused = await until(async () => {
    const { body } = await world.admin.get(hook.path)
    return body.data.enabled ? undefined : body.data
  })
  expect(paused.paused).toEqual({
    reason: '20 events in a row could not be delivered.',
    at: expect.any(String),
  })
  const told = await until(async () => watching.requests.find(({ body }) => body.payload.data.id === hook.id))
  expect(told?.body).toMatchObject({
    triggered_by: 'integration.paused',
    payload: { data: { id: hook.id, enabled: false } },
  })
  // Its jobs are dropped before it is enabled again.
  await until(async () => ((await hook.jobs()).some(({ state }) => state === 'waiting') ? undefined : true))
  hook.forget()
  await newAccount(world.admin, 'Fir')
  // What happens while it is disabled has passed before it is enabled again.
  await until(async () => {
    const { rowCount } = await world.feed(
      `SELECT FROM feeds f JOIN feed_readers r USING (store_id) WHERE f.store_id = $1 AND r.position >= f.position`,
      [world.storeId],
    )
    return rowCount || undefined
  })
  hook.answer = (_received, response) => void response.end()
  const enabled = { data: { type: 'integration', enabled: true } }
  await world.admin.put(hook.path, enabled)
  await newAccount(world.admin, 'Ginkgo')
  const [next] = await hook.got(1)
  expect(next?.body.payload.data.name).toBe('Ginkgo')
  expect((await world.admin.get(hook.path)).body.data.paused).toBeUndefined()
  await hook.remove()
  await watching.remove()
})

test('a day of failures pauses an integration, however few there are, and a success begins a new day', async () => {
  const watching = await openHook(world.admin, ['integration.paused'])
  const hook = await openHook(world.admin, ['account.created'])
  const attempts = (n: number) =>
    until(async () => ((await world.admin.get(`${hook.path}/logs`)).body.data.length >= n ? true : undefined))
  fails(hook)
  await newAccount(world.admin, 'Juniper')
  await attempts(1)
  pass(23 * 3_600)
  await attempts(2)
  expect((await world.admin.get(hook.path)).body.data.enabled).toBe(true)
  hook.answer = (_received, response) => void response.end()
  pass(300)
  await attempts(3)
  // The day since the first failure is over, but there was a success in between.
  fails(hook)
  pass(3 * 3_600)
  await newAccount(world.admin, 'Kauri')
  await attempts(4)
  expect((await world.admin.get(hook.path)).body.data.enabled).toBe(true)
  pass(24 * 3_600 + 60)
  const paused = await until(async () => {
    const { body } = await world.admin.get(hook.path)
    return body.data.enabled ? undefined : body.data.paused
  })
  expect(paused).toEqual({ reason: 'For a day, no event could be delivered.', at: expect.any(String) })
  const [told] = await watching.got(1)
  expect(told?.body).toMatchObject({
    triggered_by: 'integration.paused',
    payload: { data: { id: hook.id, enabled: false, paused } },
  })
  await hook.ended(2)
  await hook.remove()
  await watching.remove()
})

test('an integration that is disabled or deleted gets nothing of what waits for it', async () => {
  for (const end of ['disable', 'delete']) {
    const hook = await openHook(world.admin, ['account.created'])
    fails(hook)
    await newAccount(world.admin, 'Hazel')
    await hook.got(1)
    if (end === 'delete') await world.admin.delete(hook.path)
    else await world.admin.put(hook.path, { data: { type: 'integration', enabled: false } })
    const { rows } = await until(async () => {
      const found = await world.sql('SELECT state, reason FROM integration_jobs WHERE integration_id = $1', [
        hook.id,
      ])
      return found.rows[0]?.state === 'waiting' ? undefined : found
    })
    expect(rows).toEqual([{ state: 'dropped', reason: 'The integration was disabled or deleted.' }])
    pass(60)
    await new Promise((done) => setTimeout(done, 700))
    expect(hook.requests.length).toBe(1)
    await hook.remove()
  }
})

test('an event whose data was erased meanwhile is dropped', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  fails(hook)
  const id = await newAccount(world.admin, 'Ivy')
  await hook.got(1)
  await world.feed('DELETE FROM changes WHERE id = $1', [id])
  const [job] = await passUntilEnded(hook, 1)
  expect(job?.state).toBe('dropped')
  expect(job?.reason).toMatch(/no longer in the feed/)
  expect(hook.requests.length).toBe(1)
  await hook.remove()
})
