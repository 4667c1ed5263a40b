import { afterAll, beforeAll, expect, test } from 'vitest'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Any } from '../../support/requests.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import type { World } from '../../support/world.ts'

/** What a merchant, or a bank, has done at Stripe, and no webhook has told. */

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
})
afterAll(() => shop.close())

async function paid(method: string, amount = 2500): Promise<Any> {
  return charged(world.shopper, (await orderOf(world.shopper, amount)).id, { method })
}
const orderIdOf = ({ relationships }: Any): string => relationships.order.data.id
const stateOf = async (transaction: Any) => {
  const [one] = await transactionsOf(world.admin, orderIdOf(transaction))
  return [one.transaction_type, one.status, one.refunded_amount, one.capture_mechanism]
}
const refusal = ({ status, body }: Any) => [status, body.errors?.[0].title, body.errors?.[0].meta.error]
const refused = [400, 'Payment gateway processing failed', 'payment_intent_unexpected_state']

test('a refund comes on top of a refund in the dashboard', async () => {
  const transaction = await paid('purchase')
  double.refundInDashboard(transaction.reference, 300)
  double.calls.length = 0
  const { status, body } = await act(world.admin, transaction, 'refund', { amount: 200 })
  expect([status, body.data.refunded_amount]).toEqual([200, 500])
  expect(double.calls.filter((call) => call === 'refund').length).toBe(1)
  expect(double.intents.get(transaction.reference)?.refunded).toBe(500)
})

test('a refund that the dashboard leaves no money for is refused, and the order says what is refunded', async () => {
  const transaction = await paid('purchase')
  double.refundInDashboard(transaction.reference, 2400)
  expect((await act(world.admin, transaction, 'refund', { amount: 200 })).status).toBe(400)
  expect(await stateOf(transaction)).toEqual(['purchase', 'complete', 2400, undefined])
  double.refundInDashboard(transaction.reference, 100)
  const reply = await act(world.admin, transaction, 'refund', { amount: 100 })
  expect(refusal(reply)).toEqual([400, 'Payment gateway processing failed', 'charge_already_refunded'])
  expect(await stateOf(transaction)).toEqual(['refund', 'complete', 2500, undefined])
  expect((await transactionsOf(world.admin, orderIdOf(transaction)))[0].refund_mechanism).toBe(undefined)
})

test('a capture of a hold that has ended is refused, and the transaction is cancelled', async () => {
  const transaction = await paid('authorize')
  double.expireHold(transaction.reference)
  const reply = await act(world.admin, transaction, 'capture', { custom_reference: 'R-1' })
  expect(refusal(reply)).toEqual(refused)
  expect(await stateOf(transaction)).toEqual(['authorize', 'cancelled', 0, undefined])
  expect(await moneyOf(world.admin, orderIdOf(transaction))).toEqual(['unpaid', 'incomplete', 0, 0, 2500])
  expect((await act(world.admin, transaction, 'capture')).status).toBe(422)
})

test('a cancellation of what was captured meanwhile is refused, and the order is paid', async () => {
  const transaction = await paid('authorize')
  double.captureInDashboard(transaction.reference, 2500)
  expect(refusal(await act(world.admin, transaction, 'cancel'))).toEqual(refused)
  expect((await stateOf(transaction)).slice(0, 2)).toEqual(['capture', 'complete'])
  expect(await moneyOf(world.admin, orderIdOf(transaction))).toEqual(['paid', 'complete', 2500, 0, 0])
})

test('a capture of what was captured in part meanwhile is refused, and the order is paid in part', async () => {
  const transaction = await paid('authorize')
  double.captureInDashboard(transaction.reference, 400)
  expect(refusal(await act(world.admin, transaction, 'capture'))).toEqual(refused)
  expect(await stateOf(transaction)).toEqual(['capture', 'complete', 0, undefined])
  expect(await moneyOf(world.admin, orderIdOf(transaction))).toEqual([
    ...['partially_paid', 'incomplete', 400, 0, 2100],
  ])
})

test('a capture and a refund keep what they say of themselves although a confirm has recorded them before', async () => {
  const transaction = await paid('authorize')
  const recorded = async (verb: string, data: object) => {
    double.onEffect = async (call) => {
      if (call !== verb) return
      double.onEffect = () => {}
      expect((await act(world.shopper, transaction, 'confirm')).status).toBe(200)
    }
    const { status, body } = await act(world.admin, transaction, verb, data)
    expect(status).toBe(200)
    return body.data
  }
  expect(await recorded('capture', { custom_reference: 'R-1' })).toMatchObject({
    ...{ capture_mechanism: 'automatic', custom_reference: 'R-1' },
  })
  expect((await recorded('refund', { amount: 100 })).refund_mechanism).toBe('automatic')
})

test('nothing is marked as refunded elsewhere while Stripe has not answered a refund', async () => {
  const transaction = await paid('purchase')
  let marked: Any
  double.onEffect = async (call) => {
    if (call !== 'refund') return
    double.onEffect = () => {}
    marked = await act(world.admin, transaction, 'refund')
  }
  expect((await act(world.admin, transaction, 'refund', { amount: 100 })).status).toBe(200)
  expect(marked.status).toBe(409)
  expect(await stateOf(transaction)).toEqual(['purchase', 'complete', 100, undefined])
})

test('a cancellation of what was cancelled meanwhile is no refusal', async () => {
  const transaction = await paid('authorize')
  double.expireHold(transaction.reference)
  const { status, body } = await act(world.admin, transaction, 'cancel')
  expect([status, body.data.status]).toEqual([200, 'cancelled'])
})
