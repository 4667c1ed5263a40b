import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNow } from '../../builders/payments/following.ts'
import { orderOf } from '../../builders/payments/paying.ts'
import {
  charged,
  openStripeShop,
  type StripeShop,
  takeStripePayments,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'

/** A Stripe that takes requests and never answers. */

let shop: StripeShop
beforeAll(async () => {
  shop = await openStripeShop()
})
afterAll(() => shop.close())

test('jobs that wait for a gateway do not delay other jobs', async () => {
  const { world, double } = shop
  const { admin, shopper } = world
  for (let n = 0; n < 3; n++) {
    await charged(shopper, (await orderOf(shopper, 1000)).id, {
      method: 'purchase_setup',
      payment: undefined,
    })
  }
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let reads = 0
  double.onRequest = (call) => {
    if (call === 'read') reads += 1
    return answered
  }
  try {
    await readNow(world)
    await expect.poll(() => reads, { timeout: 10_000 }).toBe(3)
    const customer = { type: 'customer', name: 'Ada', email: 'ada@example.com' }
    const { id } = (await admin.post('/v2/customers', { data: customer })).body.data
    const request = { type: 'erasure_request', resource_type: 'customer', resource_id: id }
    const erasure = (await admin.post('/v2/personal-data/erasure-requests', { data: request })).body.data
    const status = async () =>
      (await admin.get(`/v2/personal-data/erasure-requests/${erasure.id}`)).body.data.status
    await expect.poll(status, { timeout: 8_000 }).toBe('SUCCESS')
  } finally {
    answer()
  }
})

test('a gateway that hangs does not hold up another gateway of the same store', async () => {
  const { world, double } = shop
  const setup = { method: 'purchase_setup', payment: undefined }
  const hangingOrders = new Set<string>()
  for (let n = 0; n < 4; n++) {
    const { id } = await orderOf(world.shopper, 1000)
    await charged(world.shopper, id, setup)
    hangingOrders.add(id)
  }
  const { id } = await orderOf(world.shopper, 1000)
  const theirs = await charged(world.shopper, id, { ...setup, gateway: 'stripe' })
  double.payInBrowser(theirs.reference)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let hanging = 0
  double.onRequest = (call, ownerId) => {
    if (call !== 'read' || !hangingOrders.has(ownerId)) return
    hanging += 1
    return answered
  }
  try {
    await readNow(world, 'stripe_payment_intents')
    await expect.poll(() => hanging, { timeout: 10_000 }).toBeGreaterThan(0)
    await readNow(world, 'stripe')
    const status = async () => (await transactionsOf(world.admin, id))[0]?.status
    await expect.poll(status, { timeout: 10_000 }).toBe('complete')
    expect(hanging).toBeLessThanOrEqual(3)
  } finally {
    answer()
  }
}, 60_000)

test('a store whose gateway hangs does not hold up the payments of another store', async () => {
  const { world, double } = shop
  const { shopper, other } = world
  await takeStripePayments(other, double)
  const setup = { method: 'purchase_setup', payment: undefined }
  await Promise.all(
    Array.from({ length: 30 }, async () => charged(shopper, (await orderOf(shopper, 1000)).id, setup)),
  )
  const { id } = await orderOf(other, 1000)
  const theirs = await charged(other, id, setup)
  double.payInBrowser(theirs.reference)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let hanging = 0
  double.onRequest = (call, ownerId) => {
    if (call !== 'read' || ownerId === id) return
    hanging += 1
    return answered
  }
  try {
    await world.sql(
      `UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 minute'
       WHERE payload->>'store' = $1 AND key LIKE '%payment%'`,
      [world.storeId],
    )
    await expect.poll(() => hanging, { timeout: 10_000 }).toBeGreaterThan(0)
    await readNow(world)
    const status = async () => (await transactionsOf(other, id))[0]?.status
    await expect.poll(status, { timeout: 10_000 }).toBe('complete')
    expect(hanging).toBeLessThanOrEqual(3)
  } finally {
    answer()
  }
  // All others are read when the gateway answers again.
  const waiting = `SELECT count(*)::int AS n FROM graphile_worker._private_jobs
    WHERE payload->>'store' = $1 AND key LIKE '%payment%' AND run_at < now() + interval '10 seconds'`
  const waits = async () => (await world.sql(waiting, [world.storeId])).rows[0].n
  await expect.poll(waits, { timeout: 30_000 }).toBe(0)
}, 90_000)
