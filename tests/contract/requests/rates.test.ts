import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isReport } from '../../../server/kernel/attempts/request-weight.ts'
import type { Operation } from '../../../server/kernel/declare/operation.ts'
import { operations } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** A flood of one store is refused in every operation, and no other store notices. */

const minuteMs = 60_000
// It stands still, so that a bucket which is empty stays so.
let nowMs = Date.now()
let world: World
beforeAll(async () => {
  world = await openWorld({
    ...appAndWorkshop,
    clock: { now: () => new Date(nowMs) },
    env: { SUTLER_RATE: 'store:2,address:3', SUTLER_METRICS_PORT: '0', SUTLER_TOKEN_LIFETIME_S: '31536000' },
  })
  // The other store has a rate of its own: enough for all of the operations in one instant.
  await world.sql(`UPDATE stores SET request_rates = 'store:9999' WHERE id <> $1`, [world.storeId])
  await useUp()
})
afterAll(() => world.close())

async function useUp() {
  for (let n = 0; n < 2; n++) expect((await world.admin.get('/v2/settings')).status).toBe(200)
}

const storeIn = ({ of }: Operation) => (of.is === 'action' ? of.action.storeIn : undefined)
const hasStore = (operation: Operation) => operation.access !== 'open' || storeIn(operation) !== undefined

function call(operation: Operation, { client, storeId }: { client: World['admin']; storeId: string }) {
  const path = operation.path.replace(/:(\w+)/g, (_, name) =>
    name === storeIn(operation) ? storeId : randomUUID(),
  )
  return client.send(operation.method, path)
}

function expectRefused({ status, headers, body }: Reply): void {
  expect([status, body]).toEqual([
    429,
    {
      errors: [
        {
          title: 'Too Many Requests',
          status: '429',
          detail: 'There are too many requests of this store; try again in 1 second.',
          code: 'rate_limited',
        },
      ],
    },
  ])
  expect(['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => headers.get(name))).toEqual([
    '1',
    expect.stringContaining('"store";q=2;w=1'),
    expect.stringContaining('"store";r=0;t=1'),
  ])
}

const counted = operations.filter((operation) => hasStore(operation) && !isReport(operation))

describe.each(counted)('$id', (operation) => {
  test('is refused to a store that has used up its rate, and to no other store', async () => {
    expectRefused(await call(operation, { client: world.admin, storeId: world.storeId }))
    expect((await call(operation, { client: world.other, storeId: randomUUID() })).status).not.toBe(429)
  })
})

test('webhooks and requests for tokens are not refused because a store is busy', async () => {
  const others = operations.filter((operation) => !counted.includes(operation))
  expect(others.map(({ id }) => id).sort()).toEqual([
    'create-colleague-token',
    'get-access-token',
    'get-colleague-sign-in',
    'hear-stripe',
    'request-colleague-one-time-password',
  ])
  for (const operation of others) {
    const { status } = await call(operation, { client: world.nobody, storeId: world.storeId })
    expect([operation.id, status]).not.toContain(429)
  }
})

test('who waits as long as the response says gets in', async () => {
  const { status, headers } = await world.admin.get('/v2/settings')
  expect(status).toBe(429)
  nowMs += Number(headers.get('retry-after')) * 1000
  expect((await world.admin.get('/v2/settings')).status).toBe(200)
})

test('requests weigh what they cost', async () => {
  const left = async (method: string, path: string, headers = {}) => {
    nowMs += minuteMs
    const body = method === 'POST' ? '{}' : undefined
    const init = { method, headers: { authorization: `Bearer ${world.admin.token}`, ...headers } }
    const response = await fetch(world.url + path, { ...init, ...(body && { body }) })
    await response.arrayBuffer()
    return response.headers.get('ratelimit')
  }
  // With two units a second, each unit of debt is half a second of waiting.
  expect([
    await left('GET', '/v2/accounts'),
    await left('POST', '/v2/accounts'),
    await left('GET', '/v2/accounts?filter=eq(name,x)'),
    await left('GET', '/v2/accounts', { accept: 'application/x-ndjson' }),
    await left('POST', '/pcm/products/export'),
  ]).toEqual([
    '"store";r=1;t=1',
    '"store";r=0;t=1',
    '"store";r=0;t=1',
    '"store";r=0;t=10',
    '"store";r=0;t=10',
  ])
  nowMs += 10_000
  expect((await world.admin.get('/v2/settings')).status).toBe(200)
})

test('metrics count these refusals apart', async () => {
  const text = await (await fetch(world.server.metricsUrl as string)).text()
  const [, refused] = /^sutler_http_refused_total\{reason="rate"\} (\d+)$/m.exec(text) ?? []
  expect(Number(refused)).toBeGreaterThan(counted.length)
})
