import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { type CuttingProxy, openCuttingProxy } from '../../support/cutting-proxy.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, startHere, stopAfterEach } from '../../support/process.ts'
import { secret } from '../../support/world.ts'

let proxy: CuttingProxy
let database: OwnDatabase
let admin: Client

beforeEach(async () => {
  database = await ownDatabase()
  proxy = await openCuttingProxy(inject('postgres'), database.name)
  const server = await startHere({ ...key, DATABASE_URL: proxy.url, SUTLER_SECRET: secret })
  admin = await adminOf(server.url)
})
afterEach(async () => {
  proxy.close()
  await database.drop()
})
stopAfterEach()

/**
 * Requests the erasure of a customer, and returns the path of the request. Workers know of the job before its request
 * has its response, so an outage that begins with the job may break the request too.
 */
async function erase(isCut = false): Promise<string> {
  const customer = { type: 'customer', name: 'Ada', email: `${randomUUID()}@example.com` }
  const { status, body } = await admin.post('/v2/customers', { data: customer })
  expect(status, JSON.stringify(body)).toBe(201)
  const erasure = { type: 'erasure_request', resource_type: 'customer', resource_id: body.data.id }
  const erasing = await admin.post('/v2/personal-data/erasure-requests', { data: erasure })
  expect(isCut ? [201, 503] : [201], JSON.stringify(erasing.body)).toContain(erasing.status)
  return `/v2/personal-data/erasure-requests?filter=eq(resource_type,customer):eq(resource_id,${body.data.id})`
}

const erased = (request: string, timeout = 10_000) =>
  expect
    .poll(async () => (await admin.get(request)).body.data?.[0].status, { timeout, interval: 200 })
    .toBe('SUCCESS')

const jobs = async () =>
  (
    await database.sql(
      `SELECT attempts, last_error, locked_at IS NOT NULL AS locked FROM graphile_worker.jobs
       WHERE task_identifier = 'personal-data:erase-personal-data'`,
    )
  ).rows

/** Expects no trace of the outage: requests work, a new job runs, and all writes are in the feed. */
async function worksAgain() {
  await sleep(500)
  await expect.poll(async () => (await admin.get('/v2/accounts')).status, { timeout: 5000 }).toBe(200)
  await erased(await erase())
  const unfed = async () => (await database.sql('SELECT FROM fresh_changes')).rowCount
  await expect.poll(unfed, { timeout: 5000 }).toBe(0)
}

test('requests are answered with 503 during an outage, and succeed afterwards', async () => {
  await erased(await erase())
  proxy.cut(2000)
  const until = performance.now() + 1500
  const one = '/v2/accounts/00000000-0000-4000-8000-000000000000'
  const account = { data: { type: 'account', name: 'A' } }
  const statuses = new Set<number>()
  while (performance.now() < until) {
    const responses = await Promise.all([
      admin.get('/v2/accounts'),
      admin.get(one),
      admin.get('/readyz'),
      admin.post('/v2/accounts', account),
    ])
    for (const { status } of responses) statuses.add(status)
    await sleep(100)
  }
  expect([...statuses]).toEqual([503])
  expect((await admin.get('/healthz')).status).toBe(200)
  await sleep(600)
  await worksAgain()
})

test('a database that accepts no writes, such as a standby, makes writes 503 and the server not ready', async () => {
  const set = (change: string) =>
    database.sql(`BEGIN READ WRITE; ALTER DATABASE ${database.name} ${change}; COMMIT`)
  await set('SET default_transaction_read_only = on')
  // Connections that are open keep what they began with.
  proxy.cut(100)
  const account = { data: { type: 'account', name: 'A' } }
  await expect
    .poll(async () => (await admin.post('/v2/accounts', account)).body.errors?.[0].detail, { timeout: 5000 })
    .toBe('The database accepts no writes.')
  expect((await admin.post('/v2/accounts', account)).status).toBe(503)
  expect((await admin.get('/v2/accounts')).status).toBe(200)
  const ready = await admin.get('/readyz')
  expect([ready.status, ready.body.status]).toEqual([503, 'the database accepts no writes'])
  await set('RESET default_transaction_read_only')
  proxy.cut(100)
  await worksAgain()
  expect((await admin.get('/readyz')).status).toBe(200)
})

test.each([
  ['before the queue knew', undefined],
  ['when the queue said that it knows', 'DELETE'],
])('a job that had ended when the database went away, %s, stays ended', async (_when, answered) => {
  const away = proxy.cutAt(1000, 'complete_job', answered)
  const request = await erase(true)
  await away
  await worksAgain()
  await erased(request)
  await expect.poll(jobs, { timeout: 10_000 }).toEqual([])
})

test('a job that had failed before the outage is retried', async () => {
  const away = proxy.cutAt(1000, 'fail_job')
  // It names no store, so every try fails.
  await database.sql(
    `SELECT graphile_worker.add_job('personal-data:erase-personal-data', '{"storeId": "none"}', max_attempts => 2)`,
  )
  await away
  await worksAgain()
  await expect
    .poll(jobs, { timeout: 10_000 })
    .toMatchObject([{ attempts: 2, locked: false, last_error: expect.any(String) }])
})

test('a job that an outage interrupts between the queue and its start runs later', async () => {
  const away = proxy.cutAt(1000, 'get_job', 'requestId')
  const request = await erase(true)
  await away
  expect(await jobs()).toMatchObject([{ attempts: 1, locked: true }])
  await worksAgain()
  await erased(request, 45_000)
}, 60_000)
