import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, orderOf } from '../../builders/payments/paying.ts'
import {
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

/** Refunds that Stripe answers with a 500, which it repeats for their key. */

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
})
afterAll(() => shop.close())

async function paid(): Promise<Any> {
  const { id } = await orderOf(world.shopper, 1000)
  return charged(world.shopper, id)
}
const refundedAmount = async ({ relationships }: Any): Promise<number> =>
  (await transactionsOf(world.admin, relationships.order.data.id))[0]?.refunded_amount
const open = async (): Promise<Any[]> =>
  (await world.sql('SELECT values FROM errands WHERE ended_at IS NULL')).rows
/** The fault was so long ago, and a job asks again soon. */
const faultWas = (minutes: number) =>
  world.sql(
    `UPDATE errands SET values = jsonb_set(values::jsonb, '{question,faultAt}',
       to_jsonb(now() - $1 * interval '1 minute')) WHERE ended_at IS NULL`,
    [minutes],
  )

test('a refund that Stripe failed to make is decided after minutes, and can be sent again', async () => {
  const transaction = await paid()
  double.faults = [{ at: 'refund', is: 'error before', times: 1 }]
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const path = `/v2/orders/${transaction.relationships.order.data.id}/transactions/${transaction.id}/refund`
  const refund = () => world.admin.post(path, { data: { amount: 300 } }, headers)
  expect((await refund()).status).toBe(503)
  // Nothing is decided while Stripe may still complete it.
  expect([(await refund()).status, (await open()).length]).toEqual([503, 1])
  expect((await act(world.admin, transaction, 'refund', { amount: 300 })).status).toBe(409)
  await faultWas(6)
  await until(async () => ((await open()).length ? undefined : true), 60_000)
  const { status, body } = await refund()
  expect([status, body.errors[0].meta.error, body.errors[0].detail]).toEqual([
    ...[400, 'api_error'],
    'Stripe failed, and has refunded nothing. Send the refund again.',
  ])
  expect([await refundedAmount(transaction), double.intents.get(transaction.reference)?.refunded]).toEqual([
    0, 0,
  ])
  const again = await act(world.admin, transaction, 'refund', { amount: 300 })
  expect([again.status, again.body.data.refunded_amount]).toEqual([200, 300])
  expect(double.intents.get(transaction.reference)?.refunded).toBe(300)
})

test('a refund that Stripe completes after its fault is recorded, and not made again', async () => {
  const transaction = await paid()
  double.faults = [{ at: 'refund', is: 'error before', times: 1 }]
  expect((await act(world.admin, transaction, 'refund', { amount: 300 })).status).toBe(503)
  double.completeRefunds()
  await until(async () => ((await open()).length ? undefined : true), 60_000)
  expect([await refundedAmount(transaction), double.intents.get(transaction.reference)?.refunded]).toEqual([
    300, 300,
  ])
})
