import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

const connections = 10

let world: World
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, env: { SUTLER_DATABASE_CONNECTIONS: String(connections) } })
})
afterAll(() => world.close())

const path = '/v2/gadget-counts'
const request = { data: { names: ['Gizmo'] } }
const make = (code: string) =>
  world.admin.post('/v2/gadgets', { data: { type: 'gadget', code, name: 'Gizmo' } })

test('a caller with the right to read may call it, and it begins no transaction and stores nothing', async () => {
  expect((await make('AAA')).status).toBe(201)
  const headers = { 'Idempotency-Key': 'the-same', 'If-None-Match': '*' }
  const first = await world.shopper.post(path, request, headers)
  expect([first.status, first.body]).toEqual([200, { data: { count: 1, inTransaction: false } }])
  expect((await make('AAB')).status).toBe(201)
  expect((await world.shopper.post(path, request, headers)).body.data.count).toBe(2)
})

test('its body is checked like any other', async () => {
  for (const body of [undefined, { data: { names: 'x' } }, { data: { names: Array(11).fill('x') } }])
    expect([body, (await world.admin.post(path, body)).status]).toEqual([body, 400])
})

const soon = { timeout: 20_000 }

test('it uses only a part of the connections, and ends when its client hangs up', async () => {
  const waiting = async () =>
    (
      await world.sql(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM gadgets%'`,
      )
    ).rowCount
  const sleepers = async () =>
    (
      await world.sql(
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
      )
    ).rows
  const held = world.sql('BEGIN; LOCK TABLE gadgets; SELECT pg_sleep(600); COMMIT').catch(() => {})
  await expect.poll(async () => (await sleepers()).length, soon).toBe(1)
  const [holder] = await sleepers()
  onTestFinished(async () => {
    await world.sql('SELECT pg_terminate_backend($1::int)', [holder.pid])
    await held
  })
  const clients = new AbortController()
  const headers = { authorization: `Bearer ${world.admin.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify(request)
  const all = Array.from({ length: 32 }, () =>
    fetch(world.url + path, { method: 'POST', headers, body, signal: clients.signal }).catch(() => {}),
  )
  await expect.poll(waiting, soon).toBe(connections / 2)
  clients.abort()
  await Promise.all(all)
  await expect.poll(waiting, soon).toBe(0)
})
