import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart, guestBody, openShop } from '../../builders/orders/buying.ts'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
})
afterAll(() => shop.close())

const listed = async (): Promise<Any[]> => (await world.admin.get('/v2/open-payments')).body.data
const newOrder = async (): Promise<string> => (await orderOf(world.shopper, 1000)).id

test('a request to Stripe without an answer is listed after a minute, until it has one', async () => {
  const id = await newOrder()
  double.isAway = 'before'
  expect((await charge(world.shopper, id)).status).toBe(503)
  expect(await listed()).toEqual([])
  // The balance stays reserved, and nobody can give the payment up while Stripe may be working on it.
  const [pending] = await transactionsOf(world.admin, id)
  expect([pending.status, (await charge(world.shopper, id)).status]).toEqual(['pending', 409])
  expect((await act(world.admin, pending, 'cancel')).status).toBe(409)
  await world.sql('UPDATE transaction_events SET asked_at = $1 WHERE answer IS NULL', [
    new Date(Date.now() - 61_000),
  ])
  expect(await listed()).toEqual([
    {
      ...{ type: 'open_payment', id: pending.id, order_id: id, gateway: 'stripe_payment_intents' },
      ...{ status: 'pending', amount: 1000, currency: 'USD' },
      ...{ reason: 'no_answer', request: 'pay', since: expect.any(String) },
    },
  ])
  double.isAway = undefined
  await until(async () => ((await listed()).length ? undefined : true), 60_000)
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
  expect(double.effects).toEqual(['confirm'])
})

test('money that comes for an order that is cancelled meanwhile is listed until it is returned', async () => {
  const id = await newOrder()
  double.onRequest = async (call) => {
    if (call !== 'confirm') return
    double.onRequest = () => {}
    const { status } = await world.admin.put(`/v2/orders/${id}`, {
      data: { type: 'order', status: 'cancelled' },
    })
    expect(status).toBe(200)
  }
  const transaction = await charged(world.shopper, id)
  expect((await moneyOf(world.admin, id)).slice(0, 3)).toEqual(['paid', 'cancelled', 1000])
  expect((await listed()).map((one) => [one.id, one.reason, one.status])).toEqual([
    [transaction.id, 'order_cancelled', 'complete'],
  ])
  await act(world.admin, transaction, 'refund', { amount: 400 })
  expect((await listed()).length).toBe(1)
  await act(world.admin, transaction, 'refund', { amount: 600 })
  expect(await listed()).toEqual([])
})

test('money that comes for what is sold out is listed until there is stock', async () => {
  const ids = await openShop(world, { CUP: 700 })
  await world.admin.post(`/v2/inventories/${ids.CUP}`, { data: { type: 'stock', quantity: 1 } })
  const [first, second] = [
    await filledCart(world.shopper, { type: 'cart_item', sku: 'CUP', quantity: 1 }),
    await filledCart(world.shopper, { type: 'cart_item', sku: 'CUP', quantity: 1 }),
  ]
  const orderIn = async (cart: string) =>
    (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data.id as string
  const [early, late] = [await orderIn(first), await orderIn(second)]
  const pending = await charged(world.shopper, late, { payment: cards.challenges })
  await charged(world.shopper, early)
  double.authenticate(pending.reference, true)
  expect((await act(world.shopper, pending, 'confirm')).body.data.status).toBe('complete')
  expect((await listed()).map((one) => [one.id, one.reason])).toEqual([[pending.id, 'no_stock']])
  await world.admin.post(`/v2/inventories/${ids.CUP}/transactions`, {
    data: { type: 'stock-transaction', action: 'increment', quantity: 1 },
  })
  await act(world.shopper, pending, 'confirm')
  expect(await listed()).toEqual([])
})

test('money that comes after a payment was cancelled is listed until Stripe has returned it', async () => {
  const id = await newOrder()
  const pending = await charged(world.shopper, id, { payment: cards.challenges })
  expect((await act(world.admin, pending, 'cancel')).body.data.status).toBe('cancelled')
  const intent = double.intents.get(pending.reference)
  Object.assign(intent as object, { status: 'succeeded', amount_received: 1000 })
  expect((await act(world.shopper, pending, 'confirm')).body.data.status).toBe('cancelled')
  expect((await listed()).map((one) => [one.id, one.reason])).toEqual([[pending.id, 'ended']])
  double.refundInDashboard(pending.reference, 1000)
  await act(world.shopper, pending, 'confirm')
  expect(await listed()).toEqual([])
})

test('a call keeps its secret key nowhere, so that a new key repairs what waits', async () => {
  const id = await newOrder()
  const path = '/v2/gateways/stripe_payment_intents'
  await world.admin.put(path, { data: { login: 'sk_test_revoked' } })
  const reply = await charge(world.admin, id)
  expect([reply.status, reply.body.errors[0].detail]).toEqual([400, 'Invalid API Key provided'])
  await world.admin.put(path, { data: { login: double.key } })
  const held = await charged(world.shopper, id, { method: 'authorize' })
  double.isAway = 'before'
  expect((await act(world.admin, held, 'capture')).status).toBe(503)
  await world.admin.put(path, { data: { login: 'sk_test_other' } })
  await world.admin.put(path, { data: { login: double.key } })
  double.isAway = undefined
  await until(async () =>
    (await transactionsOf(world.admin, id)).some((one) => one.transaction_type === 'capture')
      ? true
      : undefined,
  )
  expect(await listed()).toEqual([])
})
