import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callOut } from '../../server/kernel/work/outside-calls.ts'
import { type Carrier, openCarrier } from '../support/carrier.ts'
import type { Reply } from '../support/client.ts'
import { operations, Samples } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { openWorld, type World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { carrier as workshopCarrier } from '../workshop/ship-crate.ts'

/** The law of operations that call another server: whatever fails, one intent has one effect. */

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

let double: Carrier
beforeEach(async () => {
  double = await openCarrier()
  workshopCarrier.url = double.url
})
afterEach(async () => {
  workshopCarrier.url = ''
  await double.close()
})

const calling = operations.flatMap((operation) =>
  operation.of.is === 'action' && operation.of.action.callsOut
    ? [{ id: operation.id, operation, call: operation.of.action.callsOut }]
    : [],
)

test('an operation calls out', () => {
  expect(calling.map(({ id }) => id)).toContain('ship-crate')
})

describe.each(calling)('$id', ({ operation, call }) => {
  const keyed = () => ({ 'idempotency-key': randomUUID() })
  let send: (headers?: Record<string, string>) => Promise<Reply>
  beforeEach(async () => {
    const { path, body } = await samples.call(operation)
    send = (headers = {}) => world.admin.send(operation.method, path, { body: JSON.stringify(body), headers })
  })
  const open = async () =>
    (await world.sql('SELECT count(*)::int AS n FROM intents WHERE ended_at IS NULL')).rows[0].n
  const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()

  test.each([
    ['with a key', keyed],
    ['without a key', () => ({})],
  ])(
    '%s, the intent is committed before the call, and no transaction is open during it',
    async (_, headers) => {
      const states: unknown[] = []
      double.onRequest = async (key) => {
        const { rows } = await world.sql(
          `SELECT (SELECT count(*)::int FROM intents WHERE id = $1 AND ended_at IS NULL) AS intents,
             (SELECT count(*)::int FROM pg_stat_activity
              WHERE datname = current_database() AND state LIKE 'idle in transaction%') AS waiting`,
          [key],
        )
        states.push(rows[0])
      }
      expect((await send(headers())).status).toBe(operation.status)
      expect(states).toEqual([{ intents: 1, waiting: 0 }])
      expect(await open()).toBe(0)
    },
  )

  test('of two requests with one key, one runs and the other is refused or gets its response', async () => {
    const headers = keyed()
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(headers)))
    expect(statusesOf(replies).filter((status) => status !== operation.status && status !== 409)).toEqual([])
    expect(statusesOf(replies)).toContain(operation.status)
    const again = await send(headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([operation.status, 'true'])
    expect([double.effects.length, [...double.requests.values()]]).toEqual([1, [1]])
  })

  test('concurrent requests have one effect each, even where they lose races', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(keyed())))
    expect(statusesOf(replies)).toEqual(Array.from({ length: 20 }, () => operation.status))
    expect([double.effects.length, [...double.requests.values()]]).toEqual([
      20,
      Array.from({ length: 20 }, () => 1),
    ])
  })

  test.each(['fail before', 'fail after', 'hang before', 'hang after'] as const)(
    'a request that is repeated after "%s" continues the same intent',
    async (fault) => {
      double.faults.push(fault)
      const headers = keyed()
      const first = await send(headers)
      expect([first.status, first.body.errors[0].code]).toEqual([503, 'unavailable'])
      double.letGo()
      const second = await send(headers)
      expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([operation.status, null])
      expect([double.effects.length, [...double.requests.values()]]).toEqual([1, [2]])
      expect((await send(headers)).body).toEqual(second.body)
      expect([double.effects.length, [...double.requests.values()]]).toEqual([1, [2]])
    },
  )

  test('a late failure does not end the lease of another request', async () => {
    double.faults.push('fail before')
    double.onRequest = async (key) => {
      double.onRequest = () => {}
      await world.sql(`UPDATE intents SET leased_until = now() + interval '1 hour' WHERE id = $1`, [key])
    }
    const headers = keyed()
    expect((await send(headers)).status).toBe(503)
    const [again, calls] = [await send(headers), [...double.requests.values()]]
    expect([again.status, calls, double.effects.length]).toEqual([409, [1], 0])
    await world.sql('UPDATE intents SET leased_until = now() WHERE ended_at IS NULL')
    expect((await send(headers)).status).toBe(operation.status)
  })

  test('a request with another body under the key is refused without a call', async () => {
    const headers = keyed()
    await send(headers)
    const { path } = await samples.call(operation)
    const reply = await world.admin.send(operation.method, path, { body: '{"data": {"type": "x"}}', headers })
    expect(reply.status).toBe(422)
    expect(double.requests.size).toBe(1)
  })

  test('a refusal makes no call and leaves the key free', async () => {
    const headers = keyed()
    const path = operation.path.replaceAll(/:\w+/g, randomUUID())
    const { body } = await samples.call(operation)
    const refuse = () => world.admin.send(operation.method, path, { body: JSON.stringify(body), headers })
    expect([(await refuse()).status, (await refuse()).status]).toEqual([404, 404])
    const { rows } = await world.sql('SELECT FROM idempotency_keys WHERE key LIKE $1', [
      `%${headers['idempotency-key']}`,
    ])
    expect([double.requests.size, rows.length]).toEqual([0, 0])
  })

  test('a job completes a request that nobody repeats', async () => {
    double.faults.push('fail after')
    expect((await send()).status).toBe(503)
    expect(await open()).toBe(1)
    await until(async () => ((await open()) === 0 ? true : undefined))
    expect([double.effects.length, [...double.requests.values()]]).toEqual([1, [2]])
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
    expect(double.requests.size).toBe(0)
  })
})
