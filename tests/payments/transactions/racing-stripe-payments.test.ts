import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import { type Client, clientOf } from '../../support/client.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import { type Reply, testConfig, type World } from '../../support/world.ts'

/**
 * Requests that race for the money of one order at Stripe. They reach two servers on one database, and Stripe takes its
 * time, so that each arrives while the other waits.
 */

let shop: StripeShop
let world: World
let double: StripeDouble
let second: RunningServer
let elsewhere: Client
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
  const settings = { SUTLER_STRIPE_URL: double.url }
  second = await start(testConfig(inject('postgres'), world.database, settings))
  elsewhere = clientOf(second.url, world.admin.token)
  double.onRequest = async () => void (await sleep(20 * Math.random()))
})
afterAll(async () => {
  await second.stop()
  await shop.close()
})

const rounds = Array.from({ length: 5 }, (_, i) => i)
const either = (i: number): Client => (i % 2 ? elsewhere : world.admin)
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()
const newOrder = async (): Promise<string> => (await orderOf(world.shopper, 1000)).id

test.each(rounds)('of payments of the whole balance, one card is charged (%i)', async () => {
  const id = await newOrder()
  const replies = await Promise.all([0, 1, 2, 3].map((i) => charge(either(i), id)))
  expect(statusesOf(replies)).toEqual([200, 409, 409, 409])
  expect([double.effectsOf(id), await moneyOf(world.admin, id)]).toEqual([
    ['confirm'],
    ['paid', 'complete', 1000, 0, 0],
  ])
})

test.each(rounds)('parallel parts never exceed the total (%i)', async () => {
  const id = await newOrder()
  const replies = await Promise.all([0, 1, 2, 3].map((i) => charge(either(i), id, { amount: 400 })))
  expect(statusesOf(replies)).toEqual([200, 200, 400, 400])
  expect(double.effectsOf(id)).toEqual(['confirm', 'confirm'])
})

test.each(rounds)('parallel refunds return what they say (%i)', async () => {
  const id = await newOrder()
  const transaction = await charged(world.shopper, id)
  const replies = await Promise.all(
    [0, 1, 2, 3].map((i) => act(either(i), transaction, 'refund', { amount: 300 })),
  )
  const done = replies.filter(({ status }) => status === 200).length
  expect(done).toBeGreaterThan(0)
  expect(statusesOf(replies).filter((status) => ![200, 400, 409].includes(status))).toEqual([])
  const [stored] = await transactionsOf(world.admin, id)
  const refunded = double.intents.get(transaction.reference)?.refunded
  expect([stored.refunded_amount, refunded]).toEqual([300 * done, 300 * done])
})

test.each(rounds)('an authorization is captured or cancelled (%i)', async () => {
  const id = await newOrder()
  const held = await charged(world.shopper, id, { method: 'authorize' })
  const replies = await Promise.all([act(world.admin, held, 'capture'), act(elsewhere, held, 'cancel')])
  expect(statusesOf(replies)).toSatisfy(([one, other]) => one === 200 && (other === 409 || other === 422))
  const isCaptured = replies[0]?.status === 200
  expect([double.effectsOf(id).length, await moneyOf(world.admin, id)]).toEqual([
    2,
    isCaptured ? ['paid', 'complete', 1000, 0, 0] : ['unpaid', 'incomplete', 0, 0, 1000],
  ])
})

test.each(rounds)(
  'confirms, a cancellation and the answer of the shopper agree in the end (%i)',
  async () => {
    const id = await newOrder()
    const pending = await charged(world.shopper, id, { payment: cards.challenges })
    const answer = sleep(10).then(() => {
      const intent = double.intents.get(pending.reference)
      if (intent?.status === 'requires_action') double.authenticate(pending.reference, true)
    })
    const replies = await Promise.all([
      act(world.shopper, pending, 'confirm'),
      act(world.admin, pending, 'cancel'),
      act(elsewhere, pending, 'confirm'),
    ])
    await answer
    expect([replies[0]?.status, replies[2]?.status]).toEqual([200, 200])
    const status = double.intents.get(pending.reference)?.status
    const { body } = await act(world.admin, pending, 'confirm')
    expect([status, body.data.status]).toEqual(
      status === 'succeeded' ? ['succeeded', 'complete'] : ['canceled', 'cancelled'],
    )
  },
)

test.each(rounds)('a payment and the cancellation of its order never lose each other (%i)', async () => {
  const id = await newOrder()
  const cancel = { data: { type: 'order', status: 'cancelled' } }
  const [payment, cancellation] = await Promise.all([
    charge(elsewhere, id),
    sleep(15 * Math.random()).then(() => world.admin.put(`/v2/orders/${id}`, cancel)),
  ])
  expect(cancellation.status).toBe(200)
  const [state, status, received] = await moneyOf(world.admin, id)
  const isPaid = payment.status === 200
  expect([state, status, received]).toEqual(isPaid ? ['paid', 'cancelled', 1000] : ['unpaid', 'cancelled', 0])
  expect(double.effectsOf(id)).toEqual(isPaid ? ['confirm'] : [])
})

test('many payments of one order wait for Stripe, and leave the connections to others', async () => {
  const id = await newOrder()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const before = double.onRequest
  double.onRequest = (_call, orderId) => (orderId === id ? held : undefined)
  const replies = Array.from({ length: 40 }, () => charge(world.admin, id, { amount: 10 }))
  const openCalls = async () =>
    (await world.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n
  await until(async () => ((await openCalls()) === 40 ? true : undefined))
  const other = await newOrder()
  expect((await charged(world.admin, other)).status).toBe('complete')
  letGo()
  double.onRequest = before
  expect(new Set(statusesOf(await Promise.all(replies)))).toEqual(new Set([200]))
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'incomplete', 400, 0, 600])
})
