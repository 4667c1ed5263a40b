import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { app } from '../../server/app.ts'
import { systemClock } from '../../server/kernel/clock.ts'
import { newId } from '../../server/kernel/ids.ts'
import type { Row } from '../../server/kernel/shape/model.ts'
import type { Connection } from '../../server/kernel/storage/database.ts'
import type { Ctx } from '../../server/kernel/work/context.ts'
import { start } from '../../server/main.ts'
import { customers } from '../../server/people/customers/customers.ts'
import { eraseSet } from '../../server/personal-data/erase-personal-data.ts'
import { trimChanges } from '../../server/personal-data/logs-ttl.ts'
import { Register } from '../../server/personal-data/register.ts'
import {
  create,
  erase,
  erasureRequests,
  makeAccount,
  makeCustomer,
  readsOf,
  settled,
} from '../builders/personal-data/people.ts'
import { ownDatabase } from '../support/own-database.ts'
import { adminOf } from '../support/process.ts'
import { body } from '../support/requests.ts'
import { openWorld, secretOf, testConfig, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const storedReads = async (...ids: string[]) =>
  (await world.sql('SELECT FROM personal_data_reads WHERE id = ANY($1)', [ids])).rowCount

const recordNow = (connection: Connection, id: string) =>
  connection.run({
    text: 'SELECT record_personal_data_reads($1, $2)',
    values: [
      world.storeId,
      JSON.stringify([{ at: systemClock.now(), source: 'customers', id, actor: 'system' }]),
    ],
  })

describe('an erasure', () => {
  test('erases the reads of the whole set, also those that are still queued', async () => {
    const { customer, address } = await makeCustomer(world.admin, 'ada')
    const { customer: other } = await makeCustomer(world.admin, 'anna')
    for (const { path } of [customer, other]) await world.admin.get(path)
    await settled(world.admin)
    expect(await storedReads(customer.id)).toBe(1)
    await world.admin.get(address.path)
    expect(await erase(world.admin, 'customer', customer.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await storedReads(customer.id, address.id)).toBe(0)
    await settled(world.admin)
    expect(await storedReads(customer.id, address.id)).toBe(0)
    expect(await readsOf(world.admin, 'customer', other.id)).toHaveLength(1)
  })

  test('waits for a running write of reads', async () => {
    const { customer } = await makeCustomer(world.admin, 'berta')
    let request = { path: '' }
    const status = async () => (await world.admin.get(request.path)).body.data.status
    await world.server.instance.database.transaction(async (transaction) => {
      await recordNow(transaction, customer.id)
      const subject = { resource_type: 'customer', resource_id: customer.id }
      request = await create(world.admin, erasureRequests, 'erasure_request', subject)
      await setTimeout(500)
      expect(await status()).toBe('CREATED')
    })
    await expect.poll(status, { timeout: 10_000 }).toBe('SUCCESS')
    expect(await storedReads(customer.id)).toBe(0)
  })

  test('makes later writes of reads wait, and these then drop reads of erased objects', async () => {
    const { customer } = await makeCustomer(world.admin, 'clara')
    const { database } = world.server.instance
    let recorded = false
    let recording: Promise<unknown> | undefined
    await world.work.transaction(async (work) => {
      await eraseSet(work, new Register(app), { type: 'customer', id: customer.id })
      recording = recordNow(database, customer.id).then(() => {
        recorded = true
      })
      await setTimeout(300)
      expect(recorded).toBe(false)
    })
    await recording
    expect(await storedReads(customer.id)).toBe(0)
  })

  test('finds the set of an object of which only reads are left', async () => {
    const { customer, address } = await makeCustomer(world.admin, 'dora')
    const { customer: other } = await makeCustomer(world.admin, 'doris')
    for (const { path } of [address, customer, other]) await world.admin.get(path)
    await settled(world.admin)
    for (const { path } of [customer, other]) await world.admin.delete(path)
    // As after a year without changes: see trimChanges.
    await world.feed(`DELETE FROM changes WHERE id = ANY($1) AND event <> 'deleted'`, [
      [customer.id, address.id, other.id],
    ])
    expect(await erase(world.admin, 'account', customer.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await storedReads(customer.id, address.id)).toBe(2)
    expect(await erase(world.admin, 'address', address.id)).toMatchObject({ status: 'SUCCESS' })
    expect(await storedReads(customer.id, address.id)).toBe(0)
    expect(await storedReads(other.id)).toBe(1)
  })
})

test('reads of a deleted object stay in its log', async () => {
  const { customer } = await makeCustomer(world.admin, 'erna')
  await world.admin.get(customer.path)
  await world.admin.delete(customer.path)
  await settled(world.admin)
  expect(await readsOf(world.admin, 'customer', customer.id)).toHaveLength(1)
})

test('old reads are deleted, by the setting of each store', async () => {
  const { customer } = await makeCustomer(world.admin, 'frida')
  const { customer: theirs } = await makeCustomer(world.other, 'fanny')
  await world.admin.put('/v2/settings/logs-ttl', body('time_to_live', { days: 10 }))
  await world.sql(
    `INSERT INTO personal_data_reads (store_id, at, source, id, actor)
     SELECT $1, now() - interval '5 days', 'customers', $2, 'system' FROM generate_series(1, 12000)`,
    [world.storeId, customer.id],
  )
  await world.admin.get(customer.path)
  await world.other.get(theirs.path)
  await settled(world.admin)
  const left = async (days: number) => {
    const clock = { now: () => new Date(systemClock.now().getTime() + days * 86_400_000) }
    await trimChanges.run({ ...world.server.instance, clock })
    return [await storedReads(customer.id), await storedReads(theirs.id)]
  }
  expect(await left(4)).toEqual([12_001, 1])
  expect(await left(6)).toEqual([1, 1])
  expect(await left(11)).toEqual([0, 1])
  expect(await left(366)).toEqual([0, 0])
})

test('a stop writes the queued reads', async () => {
  const database = await ownDatabase()
  const server = await start(testConfig(inject('postgres'), database.name))
  const error = vi.spyOn(server.instance.log, 'error')
  const admin = await adminOf(server.url, 'client-of-first', secretOf('first'))
  const { customer } = await makeCustomer(admin, 'gerda')
  await admin.get(customer.path)
  await server.stop()
  expect(error.mock.calls).toEqual([])
  const { rowCount } = await database.sql('SELECT FROM personal_data_reads WHERE id = $1', [customer.id])
  expect(rowCount).toBe(1)
  await database.drop()
})

describe('while reads cannot be written', () => {
  /** As when the disk is full: everything can be read. */
  const breakWrites = async () => {
    await world.sql('ALTER FUNCTION record_personal_data_reads RENAME TO record_personal_data_reads_well')
    await world.sql(
      `CREATE FUNCTION record_personal_data_reads(of_store uuid, reads json) RETURNS void LANGUAGE plpgsql AS $$
       BEGIN RAISE SQLSTATE '53100'; END $$`,
    )
  }
  const repairWrites = async () => {
    await world.sql('DROP FUNCTION record_personal_data_reads')
    await world.sql('ALTER FUNCTION record_personal_data_reads_well RENAME TO record_personal_data_reads')
  }

  test('they are queued', async () => {
    const { account } = await makeAccount(world.admin, 'Hilda')
    const { account: next } = await makeAccount(world.admin, 'Helga')
    await breakWrites()
    expect((await world.admin.get(account.path)).status).toBe(200)
    await setTimeout(1500)
    expect((await world.admin.get(next.path)).status).toBe(200)
    await setTimeout(1500)
    expect(await storedReads(account.id, next.id)).toBe(0)
    await repairWrites()
    await settled(world.admin)
    for (const { id } of [account, next]) {
      expect(await readsOf(world.admin, 'account', id)).toHaveLength(1)
    }
  })

  test('the newest hundred thousand are queued, and the number of dropped ones is logged once', async () => {
    const { instance } = world.server
    const warn = vi.spyOn(instance.log, 'warn')
    await settled(world.admin)
    const actor = newId()
    const ctx = { store: { id: world.storeId }, who: { actor } } as Ctx
    const rows = Array.from({ length: 100_400 }, () => ({ id: newId(), scope: [] }) as unknown as Row)
    const show = (some: readonly Row[]) => {
      for (const row of some) instance.onRead(ctx, customers, row)
    }
    const storedOf = async () =>
      (await world.sql('SELECT id FROM personal_data_reads WHERE actor = $1 ORDER BY seq', [actor])).rows.map(
        ({ id }) => id,
      )
    await breakWrites()
    for (let from = 0; from < rows.length; from += 100) {
      show(rows.slice(from, from + 100))
      // The server has time to retry.
      if (from % 10_000 === 0) await setTimeout(20)
    }
    expect(warn.mock.calls).toEqual([])
    await repairWrites()
    await expect.poll(async () => (await storedOf()).length, { timeout: 25_000 }).toBe(100_000)
    expect(await storedOf()).toEqual(rows.slice(400).map(({ id }) => id))
    expect(warn.mock.calls.map(([text]) => text)).toEqual([expect.stringMatching(/^400 reads /)])
    // A dropped read was not recorded, so the next read of that object is.
    show([...rows.slice(398, 400), ...rows.slice(-2)])
    await settled(world.admin)
    expect((await storedOf()).slice(100_000)).toEqual(rows.slice(398, 400).map(({ id }) => id))
    expect(warn.mock.calls).toHaveLength(1)
  })
})
