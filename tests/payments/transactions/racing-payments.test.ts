import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningServer, start } from '../../../server/main.ts'
import { act, moneyOf, orderOf, paid, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { openWorld, type Reply, testConfig, type World } from '../../support/world.ts'

/**
 * Requests that race for the money of one order. They reach two servers on one database, since the requests of one
 * server wait for each other before they take a connection.
 */

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

/** A client of either server, in turn. */
const either = (i: number): Client => (i % 2 ? elsewhere : world.admin)

const rounds = Array.from({ length: 5 }, (_, i) => i)
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()

test.each(rounds)('of two payments of the whole balance, one is taken (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const replies = await Promise.all([pay(world.shopper, id), pay(elsewhere, id), pay(world.shopper, id)])
  expect(statusesOf(replies)).toEqual([200, 409, 409])
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test.each(rounds)('parallel parts never exceed the total (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const parts = [400, 400, 400, 400]
  const replies = await Promise.all(parts.map((amount, i) => pay(either(i), id, { amount })))
  expect(statusesOf(replies)).toEqual([200, 200, 400, 400])
  expect(await moneyOf(world.admin, id)).toEqual(['partially_paid', 'incomplete', 800, 0, 200])
})

test.each(rounds)('parallel refunds never exceed the payment (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const transaction = await paid(world.shopper, id)
  const replies = await Promise.all(
    [300, 300, 300, 300].map((amount, i) => act(either(i), transaction, 'refund', { amount })),
  )
  expect(statusesOf(replies)).toEqual([200, 200, 200, 400])
  const [stored] = (await world.admin.get(`/v2/orders/${id}/transactions`)).body.data
  expect([stored.refunded_amount, stored.transaction_type]).toEqual([900, 'purchase'])
})

test.each(rounds)('of two captures, one is taken (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const held = await paid(world.shopper, id, { method: 'authorize' })
  const replies = await Promise.all([act(world.admin, held, 'capture'), act(elsewhere, held, 'capture')])
  expect(statusesOf(replies)).toEqual([200, 422])
  expect(await moneyOf(world.admin, id)).toEqual(['paid', 'complete', 1000, 0, 0])
})

test.each(rounds)('an order is paid or cancelled first, and never both lost (%i)', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const cancel = { data: { type: 'order', status: 'cancelled' } }
  const [payment, cancellation] = await Promise.all([
    pay(elsewhere, id),
    world.admin.put(`/v2/orders/${id}`, cancel),
  ])
  expect(cancellation.status).toBe(200)
  const [state, status, received] = await moneyOf(world.admin, id)
  expect(status).toBe('cancelled')
  expect([payment.status, state, received]).toEqual(
    payment.status === 200 ? [200, 'paid', 1000] : [422, 'unpaid', 0],
  )
})
