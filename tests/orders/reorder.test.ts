import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, openShop, order, wrap } from '../builders/orders/buying.ts'
import { password } from '../builders/people/accounts.ts'
import { customer, customers } from '../builders/people/customers.ts'
import type { Any } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld()
  ids = await openShop(world, { MUG: 1200, CUP: 300 })
})
afterAll(() => world.close())

const product = (sku: string, quantity: number) => ({ type: 'cart_item', sku, quantity })
const again = (cart: string, order_id: string, headers?: Any) =>
  world.shopper.post(`${cart}/items`, { data: { type: 'order_items', order_id } }, headers)
const skusOf = ({ body }: Any) => body.data.map(({ sku, quantity }: Any) => [sku, quantity])

test('the products of an order are ordered again; what is not in stock is listed', async () => {
  const inputs = { engraving: 'Ada' }
  const { id } = await order(
    world.admin,
    { ...product('MUG', 2), custom_inputs: inputs },
    product('CUP', 3),
    wrap(),
  )
  const all = await world.admin.post('/v2/carts/again-1/items', {
    data: { type: 'order_items', order_id: id },
  })
  expect([all.status, skusOf(all)]).toEqual([
    201,
    [
      ['MUG', 2],
      ['CUP', 3],
    ],
  ])
  expect(all.body.data[0].custom_inputs).toEqual(inputs)

  await world.admin.post(`/v2/inventories/${ids.CUP}`, { data: { type: 'stock', quantity: 1 } })
  const some = await world.admin.post('/v2/carts/again-2/items', {
    data: { type: 'order_items', order_id: id },
  })
  expect([some.status, skusOf(some)]).toEqual([201, [['MUG', 2]]])
  expect(some.body.errors).toMatchObject([{ title: 'Insufficient stock', meta: { id: ids.CUP } }])
  const strict = await world.admin.post('/v2/carts/again-3/items', {
    data: [{ type: 'order_items', order_id: id }],
    options: { add_all_or_nothing: true },
  })
  expect(strict.status).toBe(400)
  expect((await world.admin.get('/v2/carts/again-3/items')).body.data).toEqual([])
})

test('shoppers order only their own orders again', async () => {
  const signIn = async (name: string) => {
    const email = `${name}@example.com`
    await world.admin.post(customers, customer({ name, email, password }))
    const { body } = await world.shopper.post('/v2/customers/tokens', {
      data: { type: 'token', email, password },
    })
    return { 'x-moltin-customer-token': body.data.token }
  }
  const [ada, ben] = [await signIn('ada'), await signIn('ben')]
  const cart = await filledCart(world.shopper, product('MUG', 1))
  const body = { data: { billing_address: address, customer: { email: 'ada@example.com' } } }
  const placed = await world.shopper.post(`${cart}/checkout`, body, ada)
  const { id } = placed.body.data
  expect(skusOf(await again('/v2/carts/again-4', id, ada))).toEqual([['MUG', 1]])
  expect((await again('/v2/carts/again-5', id, ben)).status).toBe(404)
  expect((await again('/v2/carts/again-5', id)).status).toBe(403)
  expect((await again('/v2/carts/again-5', 'unknown', ada)).status).toBe(404)
})

test('a request takes only as many products of orders as a cart has room for', async () => {
  const { id } = await order(world.admin, product('MUG', 1), product('CUP', 1))
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ type: 'order_items', order_id: id }))
  const full = await world.admin.post('/v2/carts/again-6/items', { data: items(50) })
  expect([full.status, skusOf(full)]).toEqual([
    201,
    [
      ['MUG', 50],
      ['CUP', 50],
    ],
  ])
  const over = await world.admin.post('/v2/carts/again-7/items', { data: items(51) })
  expect([over.status, over.body.errors[0].title, over.body.errors[0].source]).toEqual([
    422,
    'Limit Reached',
    'data.50.order_id',
  ])
})
