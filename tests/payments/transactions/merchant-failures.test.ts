import { afterAll, beforeAll, expect, test } from 'vitest'
import { filledCart } from '../../builders/orders/buying.ts'
import { act, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { Reply } from '../../support/client.ts'

/** What Stripe says about the merchant's settings is not for shoppers. */

let shop: StripeShop
beforeAll(async () => {
  shop = await openStripeShop()
})
afterAll(() => shop.close())

const secret = 'Invalid API Key provided: sk_live_****1234'
const error = { type: 'invalid_request_error', code: 'api_key_expired', message: secret }
const gateway = 'stripe_payment_intents'

/** A request that Stripe answers with this error. */
async function refused(at: string, request: () => Promise<Reply>, status = 401): Promise<Reply> {
  shop.double.faults = [{ at, is: 'response replaced', body: JSON.stringify({ error }), status, times: 9 }]
  try {
    const reply = await request()
    expect([reply.status, reply.body.errors[0].title]).toEqual([400, 'Payment gateway processing failed'])
    return reply
  } finally {
    shop.double.faults = []
  }
}

test.each([401, 400, 403, 404])(
  'a shopper does not read it in the refusal of a payment (%i)',
  async (status) => {
    const { world } = shop
    const { id } = await orderOf(world.shopper, 1000)
    const { body } = await refused('create', () => charge(world.shopper, id), status)
    expect(JSON.stringify(body)).not.toContain('API Key')
    expect(body.errors[0].meta.error).toBe('gateway_refused')
    const [failed] = await transactionsOf(world.admin, id)
    expect(failed.gateway_failure).toEqual({ code: 'api_key_expired', reason: secret })
    const confirmed = await act(world.shopper, failed, 'confirm')
    expect([confirmed.status, confirmed.body.data.status]).toEqual([200, 'failed'])
    expect(JSON.stringify(confirmed.body)).not.toContain('API Key')
  },
)

test('a seller reads it in the refusal', async () => {
  const { world } = shop
  const { id } = await orderOf(world.shopper, 1000)
  const { body } = await refused('create', () => charge(world.admin, id))
  expect([body.errors[0].detail, body.errors[0].meta.error]).toEqual([secret, 'api_key_expired'])
})

test('a shopper does not read it in the refusal of an intent of a cart', async () => {
  const { world } = shop
  const cart = await filledCart(world.shopper)
  const data = { gateway, method: 'purchase' }
  const { body } = await refused('create', () => world.shopper.post(`${cart}/payments`, { data }))
  expect(JSON.stringify(body)).not.toContain('API Key')
  const { status } = await world.shopper.post(`${cart}/payments`, { data })
  expect(status).toBe(201)
  const again = await refused('update', () => world.shopper.post(`${cart}/payments`, { data }))
  expect(JSON.stringify(again.body)).not.toContain('API Key')
})

test('a shopper reads why a card was declined', async () => {
  const { world } = shop
  const { id } = await orderOf(world.shopper, 1000)
  const { body } = await charge(world.shopper, id, { payment: cards.declines })
  expect([body.errors[0].detail, body.errors[0].meta.error]).toEqual([
    ...['Your card was declined.', 'generic_decline'],
  ])
})
