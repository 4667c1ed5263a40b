import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guest, guestBody } from '../builders/orders/buying.ts'
import { paid, takeManualPayments } from '../builders/payments/paying.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const nulls = { company_name: null, phone_number: null, instructions: null, line_2: null, region: null }
const { region: _, ...shown } = address
const sent = { ...shown, ...nulls }

const checkout = async (more: object) =>
  world.shopper.post(`${await filledCart(world.shopper)}/checkout`, guestBody(more))

test('null for an optional part of an address is absent, at a checkout and in an update', async () => {
  const { status, body } = await checkout({ billing_address: sent, shipping_address: sent })
  expect([status, body.errors]).toEqual([201, undefined])
  expect([body.data.billing_address, body.data.shipping_address]).toEqual([shown, shown])
  const path = `/v2/orders/${body.data.id}`
  const put = (shipping_address: object) =>
    world.admin.put(path, { data: { type: 'order', shipping_address } })
  expect((await put({ line_2: 'Flat 4', city: null })).body.data.shipping_address).toEqual({
    ...shown,
    line_2: 'Flat 4',
    city: undefined,
  })
  expect((await put({ postcode: null })).body.errors[0].source).toBe('data.shipping_address.postcode')
})

test('an order that is fulfilled keeps its address, also when it is anonymized', async () => {
  const { id } = (await checkout({})).body.data
  const path = `/v2/orders/${id}`
  await takeManualPayments(world.admin)
  await paid(world.admin, id)
  await world.admin.put(path, { data: { type: 'order', shipping: 'fulfilled' } })
  const { status } = await world.admin.post('/v2/orders/anonymize', { data: { order_ids: [id] } })
  expect(status).toBe(200)
  const { body } = await world.admin.put(path, {
    data: { type: 'order', shipping_address: { first_name: 'Ada' } },
  })
  expect(body.errors?.[0]).toMatchObject({ status: '422', source: 'data.shipping_address' })
  expect((await world.admin.get(path)).body.data.shipping_address.first_name).toBe('**')
})

test('null for a mandatory part is refused', async () => {
  const { status, body } = await checkout({ billing_address: { ...address, line_1: null } })
  expect([status, body.errors[0].source]).toEqual([400, 'data.billing_address.line_1'])
})

test('a seller enters an order with nulls in its address', async () => {
  const data = { type: 'order', customer: guest, billing_address: sent }
  const { status, body } = await world.admin.post('/v2/orders', { data })
  expect([status, body.errors]).toEqual([201, undefined])
  expect([body.data.billing_address, body.data.shipping_address]).toEqual([shown, shown])
})

test.each([
  ['customers', { type: 'customer', name: 'Ada', email: 'null@example.com' }],
  ['accounts', { type: 'account', name: 'Bakery' }],
])('addresses of %s take nulls', async (list, owner) => {
  const { id } = (await world.admin.post(`/v2/${list}`, { data: owner })).body.data
  const path = `/v2/${list}/${id}/addresses`
  const body = { type: 'address', ...sent, country: 'GB', name: 'Home' }
  const made = await world.admin.post(path, { data: body })
  expect(made.body.errors).toBeUndefined()
  const { data }: Any = await world.admin.get(`${path}/${made.body.data.id}`).then((reply) => reply.body)
  expect(data).toMatchObject({ ...shown, country: 'GB' })
  for (const name of Object.keys(nulls)) expect(data).not.toHaveProperty(name)
  const changed = await world.admin.put(`${path}/${data.id}`, { data: { type: 'address', city: null } })
  expect(changed.body.data).not.toHaveProperty('city')
})

test('the address of a shipping group takes nulls, in a cart and in an order', async () => {
  const cart = await filledCart(world.shopper)
  const data = { type: 'shipping_group', address: { line_1: '12 Mill Lane', line_2: null } }
  const ofCart = await world.shopper.post(`${cart}/shipping-groups`, { data })
  expect(ofCart.body.data.address).toEqual({ line_1: '12 Mill Lane' })
  const { id } = (await world.shopper.post(`${cart}/checkout`, guestBody())).body.data
  const ofOrder = await world.admin.post(`/v2/orders/${id}/shipping-groups`, { data })
  expect(ofOrder.body.data.address).toEqual({ line_1: '12 Mill Lane' })
})
