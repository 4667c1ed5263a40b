import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guestBody } from '../builders/orders/buying.ts'
import { act, paid, takeManualPayments } from '../builders/payments/paying.ts'
import { password } from '../builders/people/accounts.ts'
import { customer, customers } from '../builders/people/customers.ts'
import { makeCode } from '../builders/promotions/codes.ts'
import type { Any } from '../support/requests.ts'
import { until } from '../support/until.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

/** Codes for new shoppers: those who have paid no order, in part or as a whole, under any name. */

let world: World
let code: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  const discounts = { use_rule_promotions: true, custom_discounts_enabled: false }
  await world.admin.put('/v2/settings/cart', { data: { type: 'settings', discounts } })
  await takeManualPayments(world.admin)
  code = (await makeCode(world.admin, 'rule-promotions', { is_for_new_shopper: true })).code
})
afterAll(() => world.close())

/** A cart of 1000 with the code, which takes 10 % off. */
async function cartOf(email: string): Promise<string> {
  const cart = await filledCart(world.shopper)
  await world.shopper.put(cart, { data: { contact: { email } } })
  await enter(world.shopper, cart)
  return cart
}
const enter = (client: Client, cart: string) =>
  client.post(`${cart}/items`, { data: { type: 'promotion_item', code } })
const totalOf = async (cart: string): Promise<number> =>
  (await world.shopper.get(cart)).body.data.meta.display_price.with_tax.amount
const checkout = async (cart: string, data: object) => {
  const { status, body } = await world.shopper.post(`${cart}/checkout`, guestBody(data))
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}
const amountOf = (order: Any): number => order.meta.display_price.with_tax.amount
let counter = 0
const newEmail = () => `new-${++counter}@example.com`
const guestOf = (email: string) => ({ customer: { name: 'Ada', email } })

test('a shopper is new until their first payment, also one of a part', async () => {
  const email = newEmail()
  const [first, second] = [await cartOf(email), await cartOf(email)]
  expect([await totalOf(first), await totalOf(second)]).toEqual([900, 900])
  const order = await checkout(first, guestOf(email))
  expect(amountOf(order)).toBe(900)
  expect(await totalOf(second)).toBe(900)

  const held = await paid(world.shopper, order.id, { method: 'authorize', amount: 1 })
  expect(await totalOf(second)).toBe(1000)
  expect(amountOf(await checkout(second, guestOf(email)))).toBe(1000)
  expect(await totalOf(await cartOf(email.toUpperCase()))).toBe(1000)
  expect(await totalOf(await cartOf(newEmail()))).toBe(900)

  await act(world.admin, held, 'capture')
  await world.admin.put(`/v2/orders/${order.id}`, { data: { type: 'order', status: 'cancelled' } })
  await act(world.admin, held, 'refund')
  expect(await totalOf(await cartOf(email))).toBe(1000)
})

test('the buyer of the checkout must be new, whoever the cart is for', async () => {
  const email = newEmail()
  const order = await checkout(await filledCart(world.shopper), guestOf(email))
  await paid(world.shopper, order.id)
  const cart = await cartOf(newEmail())
  expect(await totalOf(cart)).toBe(900)
  expect(amountOf(await checkout(cart, guestOf(email)))).toBe(1000)
})

test('a guest who has paid is not new as a customer, and the other way round', async () => {
  const [email, other] = [newEmail(), newEmail()]
  const order = await checkout(await filledCart(world.shopper), guestOf(email))
  await paid(world.shopper, order.id)
  const make = async (of: string) =>
    (await world.admin.post(customers, customer({ name: 'Ada', email: of, password }))).body.data.id
  const [known, late] = [await make(email), await make(other)]
  const ownCart = async (id: string) => {
    const cart = await filledCart(world.shopper)
    const path = `${cart}/relationships/customers`
    expect((await world.admin.post(path, { data: [{ type: 'customer', id }] })).status).toBe(200)
    await enter(world.admin, cart)
    return cart
  }
  expect((await world.admin.get(await ownCart(known))).body.data.meta.display_price.with_tax.amount).toBe(
    1000,
  )
  const cart = await ownCart(late)
  const total = async () => (await world.admin.get(cart)).body.data.meta.display_price.with_tax.amount
  expect(await total()).toBe(900)
  const second = await checkout(await filledCart(world.shopper), guestOf(other))
  await paid(world.shopper, second.id)
  expect(await total()).toBe(1000)
})

test('an anonymized guest is a new guest, and an erased customer leaves no address', async () => {
  const [guestEmail, email] = [newEmail(), newEmail()]
  const order = await checkout(await filledCart(world.shopper), guestOf(guestEmail))
  await paid(world.shopper, order.id)
  await world.admin.put(`/v2/orders/${order.id}`, { data: { type: 'order', status: 'cancelled' } })
  const anonymized = await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [order.id] } })
  expect(anonymized.status).toBe(200)
  expect(await totalOf(await cartOf(guestEmail))).toBe(900)

  const created = await world.admin.post(customers, customer({ name: 'Ben', email, password }))
  const { id } = created.body.data
  const own = await checkout(await filledCart(world.shopper), { customer: { id }, billing_address: address })
  await paid(world.shopper, own.id)
  const left = async () =>
    (await world.sql(`SELECT shopper FROM paying_shoppers WHERE order_id = '${own.id}' ORDER BY 1`)).rows
  expect(await left()).toEqual([{ shopper: `customer:${id}` }, { shopper: `email:${email}` }])
  await world.admin.post('/v2/personal-data/erasure-requests', {
    data: { type: 'erasure_request', resource_type: 'customer', resource_id: id },
  })
  await until(async () => (await world.admin.get(`/v2/orders/${own.id}`)).body.data.anonymized || undefined)
  expect(await left()).toEqual([{ shopper: `customer:${id}` }])
})
