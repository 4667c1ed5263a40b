import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { orderOf } from '../../builders/payments/paying.ts'
import { cards, openStripeShop, type StripeShop } from '../../builders/payments/stripe-shop.ts'
import { clientOf, type Reply } from '../../support/client.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import { testConfig, type World } from '../../support/world.ts'

/** Payments whose process has died: its leases would last for an hour here. */

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop({ LOG_LEVEL: 'silent' })
  world = shop.world
  double = shop.double
  // After a start of PostgreSQL every lease holds for a while: the processes find their way back.
  const isAwake = `SELECT clock_timestamp() > pg_postmaster_start_time() + interval '5 seconds' AS is`
  await until(async () => (await world.sql(isAwake)).rows[0].is || undefined)
})
afterAll(() => shop.close())

let id: string
let key: string
beforeEach(async () => {
  id = (await orderOf(world.shopper, 1000)).id
  key = randomUUID()
})

const data = { gateway: 'stripe_payment_intents', method: 'purchase', payment: cards.pays }
const pay = (client = world.shopper): Promise<Reply> =>
  client.post(`/v2/orders/${id}/payments`, { data }, { 'Idempotency-Key': key })

/** A payment that has begun, and whose outcome is unknown. */
async function begin(): Promise<void> {
  double.isAway = 'before'
  expect((await pay()).status).toBe(503)
  double.isAway = undefined
}
/** No job comes for an hour. */
async function leaseTo(holder: string | null): Promise<void> {
  const lease = `leased_until = now() + interval '1 hour', leased_by = $1`
  await world.sql(`UPDATE errands SET ${lease} WHERE ended_at IS NULL`, [holder])
  await world.sql(`UPDATE idempotency_keys SET ${lease} WHERE key LIKE '%' || $2 AND status IS NULL`, [
    ...[holder, key],
  ])
  await world.sql(
    `UPDATE graphile_worker._private_jobs SET run_at = now() + interval '1 hour' WHERE key LIKE '%intent%'`,
  )
}
const openCalls = async (): Promise<number> =>
  (await world.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n

test('a repeated payment takes over at once from a dead process', async () => {
  await begin()
  await leaseTo(`process-${randomUUID()}`)
  expect((await pay()).status).toBe(200)
  expect(double.effectsOf(id)).toEqual(['confirm'])
})

test('a repeated payment is refused while its process lives', async () => {
  await begin()
  for (const holder of [world.server.instance.processName, null]) {
    await leaseTo(holder)
    expect((await pay()).status).toBe(409)
  }
  await leaseTo('process-dead')
  expect((await pay()).status).toBe(200)
})

test('a payment that had not begun is taken over as well', async () => {
  const claim = `INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at, leased_until, leased_by)
    SELECT store_id, key, fingerprint, created_at, now() + interval '1 hour', $2 FROM gone`
  await begin()
  await world.sql('UPDATE errands SET leased_until = now() WHERE ended_at IS NULL')
  expect((await pay()).status).toBe(200)
  for (const [holder, status] of [
    [world.server.instance.processName, 409],
    ['process-dead', 409],
  ] as const) {
    await world.sql(
      `WITH gone AS (DELETE FROM idempotency_keys WHERE key LIKE '%' || $1 RETURNING *) ${claim}`,
      [key, holder],
    )
    const reply = await pay()
    const isTaken = reply.body.errors[0].detail.includes('still being processed')
    // The order is paid: the second one has reached its payments.
    expect([reply.status, isTaken]).toEqual([status, holder !== 'process-dead'])
  }
})

test('a job completes the payment of a dead process before its lease ends', async () => {
  await begin()
  await leaseTo(`process-${randomUUID()}`)
  await until(async () => ((await openCalls()) ? undefined : true), 30_000)
  expect(double.effectsOf(id)).toEqual(['confirm'])
})

test('another process takes over when the holder has ended', async () => {
  const env = { SUTLER_STRIPE_URL: double.url, LOG_LEVEL: 'silent' }
  const second: RunningServer = await start(testConfig(inject('postgres'), world.database, env))
  try {
    await begin()
    await leaseTo(second.instance.processName)
    expect((await pay()).status).toBe(409)
    expect((await pay(clientOf(second.url, world.shopper.token))).status).toBe(409)
  } finally {
    await second.stop()
  }
  expect((await pay()).status).toBe(200)
})
