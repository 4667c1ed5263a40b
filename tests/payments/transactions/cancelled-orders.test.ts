import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { act, moneyOf, orderOf, paid, takeManualPayments } from '../../builders/payments/paying.ts'
import { type Client, clientOf } from '../../support/client.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

/** What the cancellation of an order does to its payments. Requests race on two servers. */

let world: World
let second: RunningServer
let elsewhere: Client
beforeAll(async () => {
  world = await openWorld({ alone: true })
  second = await start(testConfig(inject('postgres'), world.database))
  elsewhere = clientOf(second.url, world.admin.token)
  await takeManualPayments(world.admin)
})
afterAll(async () => {
  await second.stop()
  await world.close()
})

const cancel = (client: Client, id: string) =>
  client.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
const transactionsOf = async (id: string) =>
  (await world.admin.get(`/v2/orders/${id}/transactions`)).body.data.map((one: Any) => [
    one.transaction_type,
    one.status,
    one.amount,
  ])

test('a cancelled order has no manual authorization, and owes what that held', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  await paid(world.shopper, id, { method: 'authorize', amount: 300 })
  await paid(world.shopper, id, { amount: 500 })
  const captured = await paid(world.shopper, id, { method: 'authorize', amount: 150 })
  await act(world.admin, captured, 'capture')
  await paid(world.shopper, id, { method: 'authorize', amount: 50 })
  expect(await moneyOf(world.admin, id)).toEqual(['authorized', 'processing', 650, 350, 0])

  const { status, body } = await cancel(world.admin, id)
  expect([status, body.data.payment, body.data.meta.display_price.authorized.amount]).toEqual([
    200,
    'partially_paid',
    0,
  ])
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'cancelled', 650, 0, 350])
  expect(await transactionsOf(id)).toEqual([
    ['authorize', 'cancelled', 300],
    ['purchase', 'complete', 500],
    ['capture', 'complete', 150],
    ['authorize', 'cancelled', 50],
  ])
  const again = await cancel(world.admin, id)
  expect([again.status, again.body]).toEqual([200, { data: { ...body.data, meta: again.body.data.meta } }])
})

test('the change feed tells about the cancelled authorization', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await paid(world.shopper, id, { method: 'authorize' })
  await cancel(world.admin, id)
  const { rows } = await world.feed(`SELECT doc->>'status' status FROM changes WHERE id = $1`, [held.id])
  expect(rows.map(({ status }) => status)).toEqual(['complete', 'cancelled'])
})

test('an order without payments is cancelled, and stays unpaid', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  expect((await cancel(world.admin, id)).status).toBe(200)
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'cancelled', 0, 0, 1000])
})

test('an order is not cancelled and fulfilled at once', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  await paid(world.shopper, id)
  const both = { type: 'order', status: 'cancelled', shipping: 'fulfilled' }
  const { status, body } = await world.admin.put(`/v2/orders/${id}`, { data: both })
  expect([status, body.errors?.[0].source]).toEqual([422, 'data.status'])
  const { data } = (await world.admin.get(`/v2/orders/${id}`)).body
  expect([data.status, data.shipping]).toEqual(['complete', 'unfulfilled'])
})

const rounds = Array.from({ length: 5 }, (_, i) => i)

test.each(rounds)('an authorization is captured or cancelled, and the order says which (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await paid(world.shopper, id, { method: 'authorize' })
  const [captured, cancelled] = await Promise.all([act(elsewhere, held, 'capture'), cancel(world.admin, id)])
  expect(cancelled.status).toBe(200)
  expect([captured.status, await moneyOf(world.admin, id), await transactionsOf(id)]).toEqual(
    captured.status === 200
      ? [200, ['paid', 'cancelled', 1000, 0, 0], [['capture', 'complete', 1000]]]
      : [422, ['unpaid', 'cancelled', 0, 0, 1000], [['authorize', 'cancelled', 1000]]],
  )
})
