import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address, guest, openShop } from '../../builders/orders/buying.ts'
import { cards, takeStripePayments } from '../../builders/payments/stripe-shop.ts'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers } from '../../builders/people/customers.ts'
import { person, profile, signedIn } from '../../builders/people/members.ts'
import type { Any } from '../../support/requests.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Shoppers buy, from the first item to the refund, by the calls of storefronts and sellers in their order. */

type Headers = Readonly<Record<string, string>>

let world: World
let stripe: StripeDouble
let ids: Readonly<Record<string, string>>
const headersOf: Record<string, Headers> = {}

beforeAll(async () => {
  stripe = await StripeDouble.open()
  world = await openWorld({ alone: true, overHttp: true, env: { SUTLER_STRIPE_URL: stripe.url } })
  await takeStripePayments(world.admin, stripe)
  ids = await openShop(world, { MUG: 1200 })
  await world.admin.put('/v2/gateways/manual', {
    data: { type: 'gateway', enabled: true, shoppers_may_pay: true },
  })
  const promotion = {
    ...{ type: 'promotion', name: 'Spring', description: 'A tenth off', promotion_type: 'percent_discount' },
    ...{ enabled: true, automatic: false, start: '2020-01-01', end: '2999-01-01' },
    schema: { currencies: [{ currency: 'USD', percentage: 10 }] },
  }
  const { body } = await world.admin.post('/v2/promotions', { data: promotion })
  const codes = { type: 'promotion_codes', codes: [{ code: 'SPRING', uses: 2 }] }
  await world.admin.post(`/v2/promotions/${body.data.id}/codes`, { data: codes })
  await world.admin.post(`/v2/inventories/${ids.MUG}`, { data: { type: 'stock', quantity: 100 } })

  headersOf['a guest'] = {}
  const email = 'ada@example.com'
  await world.admin.post(customers, customer({ name: 'Ada', email, password }))
  const token = await world.shopper.post('/v2/customers/tokens', { data: { type: 'token', email, password } })
  headersOf['a customer'] = { 'x-moltin-customer-token': token.body.data.token }
  headersOf['an account member'] = await signedIn(world, await person(world, await profile(world.admin)))
})
afterAll(async () => {
  await world.close()
  await stripe.close()
})

const buyers = [
  ['a guest', { customer: guest }],
  ['a customer', { customer: { email: 'ada@example.com' } }],
  ['an account member', { contact: guest }],
] as const

const stock = async () => {
  const { available, allocated } = (await world.admin.get(`/v2/inventories/${ids.MUG}`)).body.data
  return { available, allocated }
}

describe.each(buyers)('%s', (who, buyer) => {
  const cart = `/v2/carts/of-${who.replaceAll(' ', '-')}`
  const headers = () => headersOf[who] ?? {}
  const send = async (path: string, data: object, expected: number): Promise<Any> => {
    const { status, body } = await world.shopper.post(path, { data }, headers())
    expect([path, status, body.errors]).toEqual([path, expected, undefined])
    return body.data
  }
  const sell = async (method: 'post' | 'put', path: string, data: object): Promise<Any> => {
    const { status, body } = await world.admin[method](path, { data })
    expect([path, status, body.errors]).toEqual([path, 200, undefined])
    return body.data
  }
  let order: Any
  let before: Any
  const orderNow = async () => (await world.admin.get(`/v2/orders/${order.id}`)).body.data
  const stateNow = async () => {
    const { status, payment, shipping } = await orderNow()
    return [status, payment, shipping]
  }

  test('fills a cart and checks it out', async () => {
    before = await stock()
    await send(`${cart}/items`, { type: 'cart_item', id: ids.MUG, quantity: 2 }, 201)
    await send(`${cart}/items`, { type: 'promotion_item', code: 'spring' }, 201)
    const shipping = {
      type: 'custom_item',
      name: 'Standard',
      sku: '__shipping_standard',
      quantity: 1,
      price: { amount: 0 },
    }
    await send(`${cart}/items`, shipping, 201)
    const { body } = await world.shopper.get(`${cart}?include=items&include=promotions`, headers())
    order = await send(`${cart}/checkout`, { ...buyer, billing_address: address }, 201)
    const { balance_owing, paid, authorized, ...totals } = order.meta.display_price
    expect(totals).toEqual(body.data.meta.display_price)
    // The code has two uses: the third shopper's order is without it.
    const owed = who === 'an account member' ? 2400 : 2160
    expect([balance_owing.amount, paid.amount, authorized.amount]).toEqual([owed, 0, 0])
    expect(await stock()).toEqual(before)
  })

  test('pays a part at once, and the seller collects the rest', async () => {
    const pay = (method: string, amount?: number) =>
      send(`/v2/orders/${order.id}/payments`, { gateway: 'manual', method, ...(amount && { amount }) }, 200)
    const first = await pay('purchase', 1000)
    expect([first.status, first.amount]).toEqual(['complete', 1000])
    expect(await stateNow()).toEqual(['incomplete', 'partially_paid', 'unfulfilled'])
    expect(await stock()).toEqual({ available: before.available - 2, allocated: before.allocated + 2 })
    const second = await pay('authorize')
    expect(await stateNow()).toEqual(['processing', 'authorized', 'unfulfilled'])
    await sell('post', `/v2/orders/${order.id}/transactions/${second.id}/capture`, {})
    expect(await stateNow()).toEqual(['complete', 'paid', 'unfulfilled'])
    const { meta } = await orderNow()
    expect([meta.display_price.balance_owing.amount, typeof meta.timestamps.fully_paid_at]).toEqual([
      0,
      'string',
    ])
    expect(await stock()).toEqual({ available: before.available - 2, allocated: before.allocated + 2 })
    const again = await world.shopper.post(`/v2/orders/${order.id}/payments`, {
      data: { gateway: 'manual', method: 'purchase' },
    })
    expect(again.status).toBe(409)
  })

  test('gets the parcel, and the money back', async () => {
    await sell('put', `/v2/orders/${order.id}`, { type: 'order', shipping: 'fulfilled' })
    expect(await stateNow()).toEqual(['complete', 'paid', 'fulfilled'])
    expect(await stock()).toEqual({ available: before.available - 2, allocated: before.allocated })
    const { body } = await world.admin.get(`/v2/orders/${order.id}/transactions`)
    expect(body.data).toHaveLength(2)
    for (const { id } of body.data) {
      await sell('post', `/v2/orders/${order.id}/transactions/${id}/refund`, {})
    }
    expect((await stateNow())[1]).toBe('refunded')
    await sell('post', '/v2/orders/anonymize', { order_ids: [order.id] })
    const { customer, contact } = await orderNow()
    expect(customer ?? contact).toEqual({ name: '**', email: '**' })
  })
})

describe.each(buyers)('%s, with Stripe,', (who, buyer) => {
  const send = async (path: string, data: object, expected: number): Promise<Any> => {
    const { status, body } = await world.shopper.post(path, { data }, headersOf[who])
    expect([path, status, body.errors]).toEqual([path, expected, undefined])
    return body.data
  }
  const fill = async (way: string): Promise<string> => {
    const cart = `/v2/carts/${way}-of-${who.replaceAll(' ', '-')}`
    await send(`${cart}/items`, { type: 'cart_item', id: ids.MUG, quantity: 1 }, 201)
    return cart
  }
  const checkOut = (cart: string) => send(`${cart}/checkout`, { ...buyer, billing_address: address }, 201)
  const gateway = 'stripe_payment_intents'
  const stateOf = async (id: string) => {
    const { status, payment } = (await world.admin.get(`/v2/orders/${id}`)).body.data
    return [status, payment]
  }
  /** The seller ships the order, and returns its money. */
  const shipAndRefund = async (id: string, payment: string) => {
    expect(await stateOf(id)).toEqual(['complete', 'paid'])
    await world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', shipping: 'fulfilled' } })
    const refund = `/v2/orders/${id}/transactions/${payment}/refund`
    expect((await world.admin.post(refund, { data: { amount: 1200 } })).status).toBe(200)
    expect((await stateOf(id))[1]).toBe('refunded')
    const { body } = await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [id] } })
    expect(body.data[0].anonymized).toBe(true)
  }

  test('begins the payment with the cart, and pays in the browser', async () => {
    const cart = await fill('intent')
    const { payment_intent_id: intent } = await send(`${cart}/payments`, { gateway, method: 'purchase' }, 201)
    const { id } = await checkOut(cart)
    stripe.payInBrowser(intent)
    const payment = await send(`/v2/orders/${id}/confirm`, {}, 200)
    expect([payment.status, payment.amount]).toEqual(['complete', 1200])
    await shipAndRefund(id, payment.id)
    expect(stripe.intents.get(intent)).toMatchObject({ status: 'succeeded', amount_received: 1200 })
  })

  test('lets a card be authorized, and the seller captures it', async () => {
    const { id } = await checkOut(await fill('card'))
    const data = { gateway, method: 'authorize', payment: cards.pays }
    const payment = await send(`/v2/orders/${id}/payments`, data, 200)
    expect(await stateOf(id)).toEqual(['processing', 'authorized'])
    const capture = await world.admin.post(`/v2/orders/${id}/transactions/${payment.id}/capture`, {
      data: {},
    })
    expect(capture.status).toBe(200)
    await shipAndRefund(id, payment.id)
  })
})

test('the code was used by the two orders that have it', async () => {
  const { body } = await world.admin.get('/v2/promotions')
  const usages = await world.admin.get(`/v2/promotions/${body.data[0].id}/usages`)
  expect(usages.body.data).toHaveLength(2)
})
