import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

const statementMaxMs = 1000

let world: World
beforeAll(async () => {
  world = await openWorld({ statementMaxMs })
})
afterAll(() => world.close())

const account = (name: string) => ({ data: { type: 'account', name } })

async function create(collection: string, data: object): Promise<string> {
  const { status, body } = await world.admin.post(collection, { data })
  expect(status, JSON.stringify(body)).toBe(201)
  return `${collection}/${body.data.id}`
}

/** Holds what `lock` locks, for so long; settles with its end, once it has it. */
async function hold(lock: string, ms: number): Promise<() => Promise<unknown>> {
  const held = world.sql(`BEGIN; ${lock}; SELECT pg_sleep(${ms / 1000}); COMMIT`)
  const sleeping = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
  await expect.poll(async () => (await world.sql(sleeping)).rowCount, { timeout: 10_000 }).toBe(1)
  return () => held
}

const idOf = (path: string) => path.split('/').at(-1)

test('a statement that takes too long is answered with 503 and not carried out later', async () => {
  const path = await create('/v2/accounts', account('Before').data)
  const end = await hold(
    `SELECT FROM accounts WHERE store_id = '${world.storeId}' AND id = '${idOf(path)}' FOR UPDATE`,
    5000,
  )
  const { status, body } = await world.admin.put(path, account('After'))
  expect([status, body.errors[0].code]).toEqual([503, 'unavailable'])
  await end()
  await sleep(500)
  expect((await world.admin.get(path)).body.data.name).toBe('Before')
})

test('a write of a whole table may take longer', async () => {
  const customApis = '/v2/settings/extensions/custom-apis'
  const names = { name: 'Notes', slug: 'notes', api_type: 'note_ext' }
  const api = await create(customApis, { type: 'custom_api', ...names })
  await create('/v2/extensions/notes', { type: 'note_ext' })
  const end = await hold(
    `SELECT FROM entries WHERE store_id = '${world.storeId}' FOR UPDATE`,
    statementMaxMs * 2.5,
  )
  expect((await world.admin.delete(api)).status).toBe(204)
  await end()
})

test('a job may take longer; one that outlasts a stop is left to the next process', async () => {
  const customer = await create('/v2/customers', { type: 'customer', name: 'Ada', email: 'ada@example.com' })
  const erase = { type: 'erasure_request', resource_type: 'customer', resource_id: idOf(customer) }
  const end = await hold(
    `SELECT FROM customers WHERE store_id = '${world.storeId}' AND id = '${idOf(customer)}' FOR UPDATE`,
    9000,
  )
  const request = await create('/v2/personal-data/erasure-requests', erase)
  const jobs = async () =>
    (
      await world.sql(
        `SELECT attempts, last_error, locked_at IS NOT NULL AS locked FROM graphile_worker.jobs
         WHERE task_identifier = 'personal-data:erase-personal-data'`,
      )
    ).rows
  await sleep(statementMaxMs * 2.5)
  expect(await jobs()).toEqual([{ attempts: 1, last_error: null, locked: true }])

  const began = performance.now()
  await world.server.stop()
  expect(performance.now() - began).toBeLessThan(12_000)
  expect(await jobs()).toEqual([{ attempts: 1, last_error: null, locked: false }])
  await end()
  expect((await world.sql('SELECT FROM erasure_requests WHERE id = $1', [idOf(request)])).rowCount).toBe(1)
})
