import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LargeBundle, openLargeBundle } from '../../builders/carts/large-bundle.ts'
import { guestBody } from '../../builders/orders/buying.ts'
import { signUp } from '../../builders/people/sign-up.ts'
import { openWorld, type World } from '../../support/world.ts'

/** The bundles of a cart have at most 3,000 selected options together: each change prices and stores all of them. */

let world: World
let bundle: LargeBundle
beforeAll(async () => {
  world = await openWorld()
  bundle = await openLargeBundle(world)
})
afterAll(() => world.close())

const idOf = (cart: string) => cart.split('/').at(-1)
const newCart = () => `/v2/carts/${crypto.randomUUID()}`
/** Items with other inputs are other items. */
const byDefault = (n = 0) => ({ type: 'cart_item', id: bundle.id, quantity: 1, custom_inputs: { n } })
const selected = (count: number, times = 1) => ({
  ...byDefault(),
  bundle_configuration: { selected_options: bundle.select(count, times) },
})
const add = (cart: string, data: unknown, client = world.shopper, headers = {}) =>
  client.post(`${cart}/items`, { data }, headers)
const countIn = async (cart: string): Promise<number> =>
  (await world.shopper.get(`${cart}/items`)).body.data.length

async function mustBeRefused(cart: string, reply: ReturnType<typeof add>, source = 'data') {
  const before = await countIn(cart)
  const { status, body } = await reply
  expect([status, body.errors[0].title, body.errors[0].source]).toEqual([422, 'Limit Reached', source])
  expect(body.errors[0].detail).toContain('at most 3000 selected options')
  expect(await countIn(cart)).toBe(before)
}

test('a cart has at most 3,000 selected options, of shoppers and of sellers', async () => {
  const cart = newCart()
  expect((await add(cart, [byDefault(1), selected(1490)])).status).toBe(201)
  expect((await add(cart, selected(10, 2))).status).toBe(201)
  for (const client of [world.shopper, world.admin]) {
    await mustBeRefused(cart, add(cart, selected(1, 3), client))
  }
  // More of the same needs no more options, and other items need none.
  expect((await add(cart, selected(10, 2))).status).toBe(201)
  const wrap = { type: 'custom_item', name: 'Wrap', quantity: 1, price: { amount: 1 } }
  const partly = await add(cart, [wrap, selected(1, 3)])
  expect([partly.status, partly.body.errors[0].source]).toEqual([201, 'data.1'])
  const [{ id }] = (await world.shopper.get(`${cart}/items`)).body.data
  expect((await world.shopper.delete(`${cart}/items/${id}`)).status).toBe(200)
  expect((await add(cart, selected(1, 3))).status).toBe(201)
})

test('a request with more options is refused as a whole', async () => {
  const cart = newCart()
  await mustBeRefused(
    cart,
    add(
      cart,
      Array.from({ length: 100 }, (_, n) => byDefault(n)),
    ),
  )
  await mustBeRefused(cart, add(cart, [selected(1490), selected(1480, 2), selected(31, 3)]))
})

test('so is one that merges carts, or orders again what has more options', async () => {
  const ada = await signUp(world)
  const carts = [newCart(), newCart()]
  const orders: string[] = []
  for (const [n, cart] of carts.entries()) {
    expect(
      (await add(cart, [byDefault(n + 1), selected(1000, n + 1)], world.shopper, ada.headers)).status,
    ).toBe(201)
    const body = guestBody({ customer: { id: ada.id } })
    const { status, body: made } = await world.shopper.post(`${cart}/checkout`, body, ada.headers)
    expect(status).toBe(201)
    orders.push(made.data.id)
  }
  const into = newCart()
  const merges = carts.map((cart) => ({ type: 'cart_items', cart_id: idOf(cart) }))
  await mustBeRefused(into, add(into, merges, world.admin), 'data.1.cart_id')
  const again = orders.map((order_id) => ({ type: 'order_items', order_id }))
  await mustBeRefused(into, add(into, again, world.admin), 'data.1.order_id')
  expect((await add(into, merges[0], world.admin)).status).toBe(201)
  await mustBeRefused(into, add(into, merges[1], world.admin))
})
