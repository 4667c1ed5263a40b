import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNow } from './following.ts'
import { orderOf } from './paying.ts'
import { charged, openStripeShop, type StripeShop } from './stripe-shop.ts'

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
