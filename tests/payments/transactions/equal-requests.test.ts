import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { filledCart } from '../../builders/orders/buying.ts'
import { orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import type { Reply, World } from '../../support/world.ts'

/** Equal requests at once: a double click, a page in two tabs, a retry. And requests that are refused beside others. */

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
  double.onRequest = () => {}
})

/** Sends a request while Stripe has not answered the first one. */
async function sendTwo(send: () => Promise<Reply>): Promise<readonly Reply[]> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  double.onRequest = (call) => {
    if (call !== 'create') return
    arrive()
    return answered
  }
  const first = send()
  await arrived
  const second = send()
  // By then, the second one has found the first.
  setTimeout(answer, 500)
  return Promise.all([first, second])
}

test.each([
  ['a form', { payment: undefined }],
  ['a setup', { method: 'purchase_setup', payment: undefined }],
  ['a payment with a key', { options: { idempotency_key: 'a double click' } }],
])('of two equal requests at once, both have the same payment: %s', async (_, data) => {
  const { id } = await orderOf(world.shopper, 1000)
  const [one, other] = await sendTwo(() => charge(world.shopper, id, data))
  expect([one?.status, other?.status, other?.body.errors]).toEqual([200, 200, undefined])
  expect(other?.body.data).toEqual(one?.body.data)
  expect(double.calls.filter((call) => call === 'create')).toEqual(['create'])
})

test('of two first payments of a cart at once, both have the same intent', async () => {
  const cart = await filledCart(world.shopper)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const [one, other] = await sendTwo(() => world.shopper.post(`${cart}/payments`, { data }))
  expect([one?.status, other?.status, other?.body.errors]).toEqual([201, 201, undefined])
  expect(other?.body.meta).toEqual(one?.body.meta)
})

test.each([
  ['a shopper pays by hand', { gateway: 'manual', payment: undefined }, 403],
  ['the gateway is disabled', { gateway: 'stripe_connect' }, 422],
  ['the amount is more than the order costs', { amount: 1001 }, 409],
  ['the amount is nothing', { amount: 0 }, 409],
  ['the key is wrong', { options: { idempotency_key: '' } }, 400],
])('a payment that is refused asks no gateway: %s', async (_, data, status) => {
  expect((await world.admin.put('/v2/gateways/manual', { data: { enabled: true } })).status).toBe(200)
  const { id } = await orderOf(world.shopper, 1000)
  const form = await charged(world.shopper, id, { payment: undefined })
  double.payInBrowser(form.reference, cards.declines)
  double.calls.length = 0
  expect((await charge(world.shopper, id, data)).status).toBe(status)
  expect(double.calls).toEqual([])
  expect((await transactionsOf(world.admin, id)).map((one) => one.status)).toEqual(['pending'])
  expect(double.intents.get(form.reference)?.status).toBe('requires_payment_method')
})
