import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readNow } from '../../builders/payments/following.ts'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
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

/** Refunds that Stripe has taken, and that a bank returns days later. */

const secret = 'whsec_a secret that only Stripe and the merchant know'

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
  await world.admin.put('/v2/gateways/stripe_payment_intents', { data: { webhook_secret: secret } })
})
afterAll(() => shop.close())

let id: string
beforeEach(async () => {
  id = (await orderOf(world.shopper, 2500)).id
})
const stateOf = async () => {
  const [one] = await transactionsOf(world.admin, id)
  return [one.transaction_type, one.status, one.refunded_amount, one.failed_refund_amount]
}
const reasons = async () =>
  (await world.admin.get('/v2/open-payments')).body.data.flatMap((one: Any) =>
    one.order_id === id ? one.reason : [],
  )
const refund = async (transaction: Any, amount: number) => {
  const { status, body } = await act(world.admin, transaction, 'refund', { amount })
  expect([status, body.errors]).toEqual([200, undefined])
}
const paid = ['paid', 'complete', 2500, 0, 0]

test('a webhook tells of a refund that has failed, and the money can be refunded again', async () => {
  const transaction = await charged(world.shopper, id)
  await refund(transaction, 2500)
  expect(await moneyOf(world.admin, id)).toEqual(['refunded', 'complete', 2500, 0, 0])
  double.failRefund(transaction.reference)
  const { body, signature } = double.lastWebhook(transaction.reference, secret)
  const headers = { 'stripe-signature': signature }
  const path = `/webhooks/stripe/stores/${world.storeId}`
  expect((await world.nobody.send('POST', path, { body, headers })).status).toBe(200)
  await until(async () => ((await stateOf())[0] === 'refund' ? undefined : true))
  expect(await stateOf()).toEqual(['purchase', 'complete', 0, 2500])
  expect([await moneyOf(world.admin, id), await reasons()]).toEqual([paid, ['refund_failed']])
  await refund(transaction, 2000)
  expect([await stateOf(), await reasons()]).toEqual([['purchase', 'complete', 2000, 2500], []])
  await refund(transaction, 500)
  expect((await moneyOf(world.admin, id))[0]).toBe('refunded')
})

test.each([false, true])(
  'a confirm finds one of two refunds that has failed (the charge still counts it: %s)',
  async (isStillCounted) => {
    const held = await charged(world.shopper, id, { method: 'authorize' })
    expect((await act(world.admin, held, 'capture')).status).toBe(200)
    await refund(held, 1000)
    await refund(held, 1500)
    double.failRefund(held.reference, { isStillCounted })
    const { body } = await act(world.shopper, held, 'confirm')
    expect(body.data).toMatchObject({ refunded_amount: 1000, failed_refund_amount: 1500 })
    expect(await stateOf()).toEqual(['capture', 'complete', 1000, 1500])
    expect([await moneyOf(world.admin, id), await reasons()]).toEqual([paid, ['refund_failed']])
    // A repeated question changes nothing.
    expect((await act(world.shopper, held, 'confirm')).body.data).toEqual(body.data)
  },
)

test('a new refund finds out that the one before has failed', async () => {
  const transaction = await charged(world.shopper, id)
  await refund(transaction, 1000)
  double.failRefund(transaction.reference)
  await refund(transaction, 400)
  expect(await stateOf()).toEqual(['purchase', 'complete', 400, 1000])
})

test('a refund is read for weeks, without webhooks and without a confirm', async () => {
  const transaction = await charged(world.shopper, id)
  await refund(transaction, 1000)
  const waiting = async () => {
    const { rows } = await world.sql(
      `SELECT round(extract(epoch FROM run_at - now()) / 86400)::int AS days FROM graphile_worker._private_jobs
       WHERE key LIKE '%refund of payment ' || $1`,
      [transaction.id],
    )
    return rows.map(({ days }) => days)
  }
  expect(await waiting()).toEqual([1])
  double.failRefund(transaction.reference)
  await readNow(world)
  await until(async () => ((await stateOf())[2] === 0 ? true : undefined))
  expect(await stateOf()).toEqual(['purchase', 'complete', 0, 1000])
  await until(async () => ((await waiting())[0] === 1 ? true : undefined))
})

test('what is marked as refunded elsewhere stays so, except a refund of Stripe that has failed', async () => {
  const transaction = await charged(world.shopper, id)
  await refund(transaction, 1000)
  expect((await act(world.admin, transaction, 'refund')).status).toBe(200)
  expect(await stateOf()).toEqual(['refund', 'complete', 2500, undefined])
  await act(world.admin, transaction, 'confirm')
  expect(await stateOf()).toEqual(['refund', 'complete', 2500, undefined])
  double.failRefund(transaction.reference)
  await act(world.admin, transaction, 'confirm')
  expect(await stateOf()).toEqual(['purchase', 'complete', 1500, 1000])
})
