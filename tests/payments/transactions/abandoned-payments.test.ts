import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { filledCart, guestBody, openShop } from '../../builders/orders/buying.ts'
import { age, readNow } from '../../builders/payments/following.ts'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
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
beforeEach(() => {
  double.calls.length = 0
})

const intentOf = (transaction: Any) => double.intents.get(transaction.reference)
const orderIdOf = (transaction: Any): string => transaction.relationships.order.data.id
const stored = async (transaction: Any): Promise<Any> =>
  (await transactionsOf(world.admin, orderIdOf(transaction))).find(({ id }) => id === transaction.id)
async function waiting(data: object = { payment: cards.challenges }): Promise<Any> {
  const { id } = await orderOf(world.shopper, 1000)
  return charged(world.shopper, id, data)
}
/** Lets the jobs read until they have called Stripe so, or longer. */
const readUntil = (call: string) =>
  until(async () => {
    await readNow(world)
    return double.calls.includes(call) ? true : undefined
  })

test.each([
  ['a challenge that nobody answers', { payment: cards.challenges }, 'purchase'],
  ['a setup that nobody pays', { payment: undefined, method: 'authorize_setup' }, 'authorize-setup'],
])('%s is cancelled after a day, and the order owes its amount again', async (_, data, type) => {
  const pending = await waiting(data)
  await age(world, 'order_transactions', pending.id, 23)
  await readUntil('read')
  expect((await moneyOf(world.admin, orderIdOf(pending)))[4]).toBe(0)
  expect((await stored(pending)).status).toBe('pending')
  await age(world, 'order_transactions', pending.id, 2)
  await until(async () => {
    await readNow(world)
    return (await stored(pending)).status === 'cancelled' ? true : undefined
  })
  expect(await stored(pending)).toMatchObject({
    ...{ transaction_type: type, next_actions: [], payment_details: { detailed_status: 'canceled' } },
    failure_details: { code: 'abandoned', reason: 'The shopper did not complete the payment.' },
  })
  expect(intentOf(pending)).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' })
  expect(await moneyOf(world.admin, orderIdOf(pending))).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
  expect((await charged(world.shopper, orderIdOf(pending))).status).toBe('complete')
})

test('the stock of an abandoned payment is available', async () => {
  const ids = await openShop(world, { CUP: 700 })
  const path = `/v2/inventories/${ids.CUP}`
  await world.admin.post(path, { data: { type: 'stock', quantity: 1 } })
  const cart = await filledCart(world.shopper, { type: 'cart_item', sku: 'CUP', quantity: 1 })
  const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
  const pending = await charged(world.shopper, id, { payment: cards.challenges })
  await age(world, 'order_transactions', pending.id, 25)
  await readUntil('cancel')
  await until(async () => ((await stored(pending)).status === 'cancelled' ? true : undefined))
  const { available, allocated } = (await world.admin.get(path)).body.data
  expect([available, allocated]).toEqual([1, 0])
})

test('a voucher is not abandoned after a day', async () => {
  const pending = await waiting({ payment: 'pm_konbini' })
  await age(world, 'order_transactions', pending.id, 25)
  await readUntil('read')
  double.authenticate(pending.reference, true)
  await until(async () => {
    await readNow(world)
    return (await stored(pending)).status === 'complete' ? true : undefined
  })
  expect(double.calls).not.toContain('cancel')
})

test('a shopper who pays while the payment is being given up has paid', async () => {
  const pending = await waiting()
  await age(world, 'order_transactions', pending.id, 25)
  double.onRequest = (call) => {
    if (call === 'cancel') double.authenticate(pending.reference, true)
    double.onRequest = call === 'cancel' ? () => {} : double.onRequest
  }
  await readUntil('cancel')
  await until(async () => ((await stored(pending)).status === 'complete' ? true : undefined))
  expect((await stored(pending)).failure_details).toBe(undefined)
  expect(await moneyOf(world.admin, orderIdOf(pending))).toEqual(['paid', 'complete', 1000, 0, 0])
})

test('a cancellation by the merchant says why at Stripe', async () => {
  const pending = await waiting()
  const { body } = await act(world.admin, pending, 'cancel', { reason: 'fraudulent' })
  expect([body.data.status, body.data.failure_details]).toEqual(['cancelled', undefined])
  expect(intentOf(pending)?.cancellation_reason).toBe('fraudulent')
})

test('a transaction says what can be done with it, and how it stands at the gateway', async () => {
  const { id } = await orderOf(world.shopper, 1000)
  const how = ({ next_actions: next, payment_details: details }: Any) => [next, details?.detailed_status]
  const pending = await charged(world.shopper, id, { payment: cards.challenges, method: 'authorize' })
  expect(how(pending)).toEqual([['confirm', 'cancel'], 'requires_action'])
  double.authenticate(pending.reference, true)
  const held = (await act(world.shopper, pending, 'confirm')).body.data
  expect(how(held)).toEqual([['capture', 'cancel'], 'requires_capture'])
  const captured = (await act(world.admin, held, 'capture')).body.data
  expect(how(captured)).toEqual([['refund'], 'succeeded'])
  expect(how((await act(world.admin, captured, 'refund')).body.data)).toEqual([[], 'succeeded'])
})
