import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilWaiting } from '../../support/in-the-way.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({
    alone: true,
    env: { LOG_LEVEL: 'silent', SUTLER_METRICS_PORT: '0' },
    admissionLimits: { calmMax: 2, waitMaxMs: 300, standing: { waitMs: 100, forMs: 300 } },
  })
})
afterAll(() => world.close())

const account = (name: string) => ({ data: { type: 'account', name, legal_name: 'Ltd' } })

const make = async (name: string) =>
  (await world.admin.post('/v2/accounts', account(name))).body.data.id as string

async function metric(series: string): Promise<number> {
  const text = await (await fetch(world.server.metricsUrl as string)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  )
}

test('while writes hang, the next ones are refused soon, reads and health checks go on, and it ends by itself', async () => {
  const ids = [await make('First'), await make('Second')]
  const connection = await world.server.instance.database.pool.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM accounts WHERE store_id = $1 AND id = ANY($2) FOR UPDATE', [
    world.storeId,
    ids,
  ])
  const hung = Promise.all(ids.map((id) => world.admin.put(`/v2/accounts/${id}`, account('Later'))))
  try {
    await untilWaiting(world, 2)
    // It waits for a place first, and others do not wait any more.
    const waited = await world.admin.post('/v2/accounts', account('Third'))
    const origin = { origin: 'https://shop.example' }
    const atOnce = await world.admin.post('/v2/accounts', account('Fourth'), origin)
    for (const { status, headers, body } of [waited, atOnce]) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(headers.get('x-request-id')).toBe(body.errors[0].request_id)
      expect(body.errors[0]).toMatchObject({ code: 'unavailable', status: '503' })
    }
    expect(atOnce.headers.get('access-control-allow-origin')).toBe(origin.origin)
    expect((await world.admin.get(`/v2/accounts/${ids[0]}`)).status).toBe(200)
    expect((await world.nobody.get('/readyz')).status).toBe(200)
    expect(await metric('sutler_http_refused_total{reason="overloaded"}')).toBe(2)
    expect(await metric('sutler_http_at_work{kind="writes"}')).toBe(2)
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
  expect((await hung).map(({ status }) => status)).toEqual([200, 200])
  await until(async () => {
    const { status } = await world.admin.post('/v2/accounts', account('Fifth'))
    return status === 201 || undefined
  })
  expect(await metric('sutler_http_at_work{kind="writes"}')).toBe(0)
})

test('writes that wait for the same object leave their places to others', async () => {
  const product = { type: 'custom_item', name: 'Tea', sku: 'tea', quantity: 1, price: { amount: 100 } }
  const add = () => world.admin.post('/v2/carts/busy/items', { data: product })
  expect((await add()).status).toBe(201)
  const connection = await world.server.instance.database.pool.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM carts WHERE store_id = $1 FOR UPDATE', [world.storeId])
  const waiting = Promise.all(Array.from({ length: 5 }, add))
  try {
    await untilWaiting(world, 1)
    expect((await make('Sixth')).length).toBe(36)
    expect(await metric('sutler_http_at_work{kind="writes"}')).toBe(1)
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
  expect((await waiting).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
})

test('readers of the feed who wait for a change take no places', async () => {
  // A change that is not in the feed yet would answer them.
  await world.feed('SELECT 1')
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const path = `/v2/changes?wait=5&page[after]=${last}`
  const readers = Array.from({ length: 5 }, () => world.admin.get(path))
  await until(async () => (await metric('sutler_feed_readers{kind="poll"}')) === 5 || undefined)
  expect(await metric('sutler_http_at_work{kind="reads"}')).toBe(0)
  expect((await world.admin.get('/v2/accounts')).status).toBe(200)
  expect((await Promise.all(readers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})
