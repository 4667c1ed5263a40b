import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { callOut } from '../../../server/kernel/work/outside-calls.ts'
import { readNever } from '../../builders/payments/following.ts'
import { takeManualPayments } from '../../builders/payments/paying.ts'
import { operations } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { operationsOf, withIds } from '../../support/document/examples.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { type Calling, type CallingKind, callingKinds, type Elsewhere } from './elsewhere.ts'

/** The law of operations that call another server: whatever fails, one errand has one effect. */

let stripe: StripeDouble
let world: World
beforeAll(async () => {
  stripe = await StripeDouble.open()
  world = await openWorld({ ...appAndWorkshop, alone: true, env: { SUTLER_STRIPE_URL: stripe.url } })
})
afterAll(async () => {
  await world.close()
  await stripe.close()
})

const documented = operationsOf(sutlerApi(appAndWorkshop.modules, appAndWorkshop.access))

const calling = operations.flatMap((operation) =>
  operation.of.is === 'action' && operation.of.action.callsOut
    ? [{ id: operation.id, operation, call: operation.of.action.callsOut }]
    : [],
)

test('every operation that calls out has a double', () => {
  expect(calling.map(({ id }) => id).sort()).toEqual(Object.keys(callingKinds).sort())
})

describe.each(calling)('$id', ({ id, operation, call }) => {
  const kind = callingKinds[id] as CallingKind
  const keyed = () => ({ 'idempotency-key': randomUUID() })
  let opened: Calling
  let elsewhere: Elsewhere
  beforeEach(async () => {
    await readNever(world)
    opened = await kind.open(world.admin, stripe)
    elsewhere = opened.elsewhere
  })
  afterEach(() => elsewhere.close())

  const send = (headers: Record<string, string> = {}, body = JSON.stringify(opened.body)): Promise<Reply> =>
    world.admin.send(operation.method, opened.path, { body, headers })
  const open = async () =>
    (await world.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n
  const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
  const done = operation.status
  /** The effects of so many calls. */
  const effects = (n: number) => n * kind.effects

  test('accepts the example of the API document', async () => {
    await takeManualPayments(world.admin)
    const { example } = documented.get(id).requestBody.content['application/json']
    const { status, body } = await send({}, JSON.stringify(withIds(example, opened.body)))
    expect([status, body.errors]).toEqual([done, undefined])
  })

  test.each([
    ['with a key', keyed],
    ['without a key', () => ({})],
  ])(
    '%s, the errand is committed before the call, and no transaction is open during it',
    async (_, headers) => {
      const states: unknown[] = []
      const state = async () =>
        (
          await world.sql(
            `SELECT (SELECT count(*)::int FROM errands WHERE ended_at IS NULL) AS errands,
             (SELECT count(*)::int FROM pg_stat_activity
              WHERE datname = current_database() AND state LIKE 'idle in transaction%') AS waiting`,
          )
        ).rows[0]
      elsewhere.onRequest(async () => {
        // A transaction of a job or of the feed ends by itself; one of the request would stay until it is answered.
        let last: Awaited<ReturnType<typeof state>>
        const isSettled = async () => {
          last = await state()
          return last.waiting === 0 || undefined
        }
        await until(isSettled, 3000).catch(() => {})
        states.push(last)
      })
      expect((await send(headers())).status).toBe(done)
      expect(states.length).toBeGreaterThan(0)
      expect(states).toEqual(states.map(() => ({ errands: 1, waiting: 0 })))
      expect(await open()).toBe(0)
    },
  )

  test('of two requests with one key, one runs and the other is refused or gets its response', async () => {
    const headers = keyed()
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(headers)))
    expect(statusesOf(replies).filter((status) => status !== done && status !== 409)).toEqual([])
    expect(statusesOf(replies)).toContain(done)
    const requests = elsewhere.requests()
    const again = await send(headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([done, 'true'])
    expect([elsewhere.effects(), elsewhere.requests()]).toEqual([effects(1), requests])
  })

  test('concurrent requests have one effect each, even where they lose races', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(keyed())))
    const succeeded = replies.filter(({ status }) => status === done).length
    const refused = statusesOf(replies).filter((status) => ![done, 409, 422].includes(status))
    expect([elsewhere.effects(), refused]).toEqual([effects(succeeded), []])
    if (kind.isRepeatable) expect(succeeded).toBe(20)
    else expect(succeeded).toBeGreaterThan(0)
    expect(await open()).toBe(0)
  })

  test('a request that is repeated after a fault continues the same errand', async () => {
    for (const fault of elsewhere.faults) {
      const before = elsewhere.effects()
      elsewhere.fail(fault)
      const headers = keyed()
      const first = await send(headers)
      expect([first.status, first.body.errors[0].code]).toEqual([503, 'unavailable'])
      elsewhere.recover()
      const second = await send(headers)
      expect([fault, second.status, second.headers.get('idempotency-replayed')]).toEqual([fault, done, null])
      expect(elsewhere.effects() - before).toBe(effects(1))
      const requests = elsewhere.requests()
      expect((await send(headers)).body).toEqual(second.body)
      expect([elsewhere.effects() - before, elsewhere.requests()]).toEqual([effects(1), requests])
      if (kind.isRepeatable) continue
      await elsewhere.close()
      opened = await kind.open(world.admin, stripe)
      elsewhere = opened.elsewhere
    }
  })

  test('a late failure does not end the lease of another request', async () => {
    elsewhere.fail('fail before')
    elsewhere.onRequest(async () => {
      elsewhere.onRequest(async () => {})
      await world.sql(`UPDATE errands SET leased_until = now() + interval '1 hour' WHERE ended_at IS NULL`)
    })
    const headers = keyed()
    expect((await send(headers)).status).toBe(503)
    elsewhere.recover()
    const requests = elsewhere.requests()
    expect([(await send(headers)).status, elsewhere.requests()]).toEqual([409, requests])
    await world.sql('UPDATE errands SET leased_until = now() WHERE ended_at IS NULL')
    expect([(await send(headers)).status, elsewhere.effects()]).toEqual([done, effects(1)])
  })

  test('a request with another body under the key is refused without a call', async () => {
    const headers = keyed()
    await send(headers)
    const requests = elsewhere.requests()
    const reply = await send(headers, '{"data": {"type": "x"}}')
    expect([reply.status, elsewhere.requests()]).toEqual([422, requests])
  })

  test('a refusal makes no call and leaves the key free', async () => {
    const headers = keyed()
    const path = operation.path.replaceAll(/:\w+/g, randomUUID())
    const refuse = () =>
      world.admin.send(operation.method, path, { body: JSON.stringify(opened.body), headers })
    expect([(await refuse()).status, (await refuse()).status]).toEqual([
      kind.unknown ?? 404,
      kind.unknown ?? 404,
    ])
    const { rows } = await world.sql('SELECT FROM idempotency_keys WHERE key LIKE $1', [
      `%${headers['idempotency-key']}`,
    ])
    expect([elsewhere.requests(), rows.length]).toEqual([0, 0])
  })

  test('a job completes a request that nobody repeats', async () => {
    elsewhere.fail('fail after')
    expect((await send()).status).toBe(503)
    expect(await open()).toBe(1)
    elsewhere.recover()
    // The job is due in a second, and the queue looks every two: it is told at once.
    const due = await world.sql(
      `UPDATE graphile_worker._private_jobs SET run_at = now()
       WHERE locked_at IS NULL AND key LIKE '% errand %' RETURNING pg_notify('jobs:insert', '')`,
    )
    expect(due.rows.length).toBeGreaterThan(0)
    await until(async () => ((await open()) === 0 ? true : undefined))
    expect(elsewhere.effects()).toBe(effects(1))
  })

  test('a call inside a transaction throws', async () => {
    const inside = world.work.transaction((work) =>
      callOut(
        work as never,
        call,
        async () => ({}),
        () => ({ status: 200, body: '' }),
      ),
    )
    await expect(inside).rejects.toThrow('an outside call is not allowed inside a transaction')
    expect(elsewhere.requests()).toBe(0)
  })
})
