import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LargeBundle, openLargeBundle } from '../../builders/carts/large-bundle.ts'
import { guestBody, wrap } from '../../builders/orders/buying.ts'
import { signUp } from '../../builders/people/sign-up.ts'
import { operations } from '../../builders/samples.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { type MeasuredServer, measuredServer } from '../../support/measured-server.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'
import { isAnyones } from './anyones.ts'

/**
 * A cart that is as full as a shopper may make it costs nobody their time: whatever a shopper may do with it takes less
 * than 50 ms of the event loop in one stretch. The law measures processor time, in a process that does nothing else.
 */

let world: World
let server: MeasuredServer
let bundle: LargeBundle
let shopper: Client
/** The headers of a customer, who may order again. */
let ada: { readonly id: string; readonly headers: Record<string, string> }
let full: string
beforeAll(async () => {
  world = await openWorld()
  server = await measuredServer(world)
  bundle = await openLargeBundle(world)
  shopper = clientOf(server.url, world.shopper.token)
  ada = await signUp(world)
  full = await fullCart()
})
afterAll(async () => {
  await server.close()
  await world.close()
})

const newCart = () => `/v2/carts/${crypto.randomUUID()}`
const add = (cart: string, data: unknown, headers = {}) => shopper.post(`${cart}/items`, { data }, headers)
const bundleOf = (count: number, times: number) => ({
  ...wholeBundle(),
  bundle_configuration: { selected_options: bundle.select(count, times) },
})
const wholeBundle = () => ({ type: 'cart_item', id: bundle.id, quantity: 1 })
/** Inputs of the smallest parts. */
const inputsOf = (count: number, n: number) => ({ n, parts: Array<number>(count).fill(0) })
const itemOf = (n: number, parts: number) =>
  wrap({ sku: `WRAP-${n}`, name: `Wrap ${n}`, custom_inputs: inputsOf(parts, n) })

/** A cart with as many options, items and bytes as a shopper may put into it. */
async function fullCart(): Promise<string> {
  const cart = newCart()
  for (const times of [1, 2]) expect((await add(cart, bundleOf(bundle.options, times))).status).toBe(201)
  const small = Array.from({ length: 80 }, (_, n) => itemOf(n, 50))
  expect((await add(cart, small)).status).toBe(201)
  let n = small.length
  for (const parts of [9000, 3000, 1000]) {
    while ((await add(cart, itemOf(n, parts))).status === 201) n++
  }
  expect(n).toBeGreaterThan(small.length + 5)
  return cart
}

/** Another cart with the same items. */
async function copyOf(cart: string, headers = {}): Promise<string> {
  const copy = newCart()
  expect((await add(copy, { type: 'cart_items', cart_id: idOf(cart) }, headers)).status).toBe(201)
  return copy
}

const associate = (of: string, method: string) => (cart: string) =>
  shopper.send(method, `${cart}/relationships/${of}s`, {
    body: JSON.stringify({ data: [{ type: of, id: ada.id }] }),
    headers: ada.headers,
  })
const itemsOf = async (cart: string): Promise<{ id: string }[]> =>
  (await shopper.get(`${cart}/items`)).body.data
const group = { type: 'shipping_group', shipping_type: 'post', base_price: 100 }
const payment = { gateway: 'manual', method: 'purchase' }

type Send = (path: string) => Promise<Reply>
function withItem(run: Send) {
  return async (cart: string) => {
    const path = `${cart}/items/${(await itemsOf(cart))[40]?.id}`
    return () => run(path)
  }
}
function withGroup(run: Send) {
  return async (cart: string) => {
    const { body } = await shopper.post(`${cart}/shipping-groups`, { data: group })
    return () => run(`${cart}/shipping-groups/${body.data.id}`)
  }
}

/** What a shopper does with a full cart, and its status. What the request needs is found before, unmeasured. */
type Act = readonly [status: number, run: (cart: string) => Promise<Reply | (() => Promise<Reply>)>]

const lines = <T>(count: number, one: (n: number) => T) => Array.from({ length: count }, (_, n) => one(n))
const idOf = (cart: string) => cart.split('/').at(-1)

/** For each operation. */
const acts: Readonly<Record<string, readonly Act[]>> = {
  'list-carts': [[200, () => shopper.get('/v2/carts', ada.headers)]],
  'get-cart': [
    [200, (cart) => shopper.get(cart)],
    [200, (cart) => shopper.get(`${cart}?include=items,tax_items,promotions,custom_discounts`)],
  ],
  'list-cart-items': [
    [200, (cart) => shopper.get(`${cart}/items`)],
    [200, (cart) => shopper.get(`${cart}/items?include=component_products`)],
  ],
  'associate-cart-with-customer': [[200, associate('customer', 'POST')]],
  'dissociate-cart-from-customer': [[204, associate('customer', 'DELETE')]],
  'associate-cart-with-account': [[403, associate('account', 'POST')]],
  'dissociate-cart-from-account': [[204, associate('account', 'DELETE')]],
  'create-cart': [[201, () => shopper.post('/v2/carts', { data: { name: 'Another' } })]],
  'update-cart': [[200, (cart) => shopper.put(cart, { data: { name: 'Renamed' } })]],
  'delete-cart': [[204, (cart) => shopper.delete(cart)]],
  'add-cart-items': [
    [201, (cart) => add(cart, { ...itemOf(0, 50), quantity: 2 })],
    [201, (cart) => add(newCart(), { type: 'cart_items', cart_id: idOf(cart) })],
    [201, () => add(newCart(), [bundleOf(1500, 3), bundleOf(1490, 4)])],
    [
      422,
      () =>
        add(
          newCart(),
          lines(4, (n) => bundleOf(1490, n + 1)),
        ),
    ],
    [
      422,
      () =>
        add(
          newCart(),
          lines(100, (n) => ({ ...wholeBundle(), custom_inputs: { n } })),
        ),
    ],
    [
      201,
      () =>
        add(
          newCart(),
          lines(100, (n) => itemOf(n, 80)),
        ),
    ],
    [
      422,
      (cart) =>
        add(
          newCart(),
          lines(100, () => ({ type: 'cart_items', cart_id: idOf(cart) })),
        ),
    ],
    [
      404,
      (cart) =>
        add(
          cart,
          lines(9, (n) => ({ type: 'promotion_item', code: `CODE-${n}` })),
        ),
    ],
    [
      201,
      async (cart) => {
        const ordered = await copyOf(full, ada.headers)
        const body = guestBody({ customer: { id: ada.id } })
        const order = await shopper.post(`${ordered}/checkout`, body, ada.headers)
        return () => add(cart, { type: 'order_items', order_id: order.body.data.id }, ada.headers)
      },
    ],
  ],
  'update-cart-items': [
    [
      200,
      async (cart) => {
        const data = (await itemsOf(cart)).map(({ id }, n) => ({
          id,
          quantity: 3,
          custom_inputs: inputsOf(50, n),
        }))
        return () => shopper.put(`${cart}/items`, { data })
      },
    ],
  ],
  'update-cart-item': [
    [200, withItem((path) => shopper.put(path, { data: { type: 'cart_item', quantity: 2 } }))],
  ],
  'delete-cart-item': [[200, withItem((path) => shopper.delete(path))]],
  'delete-cart-items': [[204, (cart) => shopper.delete(`${cart}/items`)]],
  'delete-cart-code': [[404, (cart) => shopper.delete(`${cart}/discounts/CODE`)]],
  'list-cart-shipping-groups': [[200, (cart) => shopper.get(`${cart}/shipping-groups`)]],
  'get-cart-shipping-group': [[200, withGroup((path) => shopper.get(path))]],
  'create-cart-shipping-group': [[201, (cart) => shopper.post(`${cart}/shipping-groups`, { data: group })]],
  'update-cart-shipping-group': [[200, withGroup((path) => shopper.put(path, { data: group }))]],
  'delete-cart-shipping-group': [[204, withGroup((path) => shopper.delete(path))]],
  checkout: [[201, (cart) => shopper.post(`${cart}/checkout`, guestBody())]],
  'create-cart-payment': [[400, (cart) => shopper.post(`${cart}/payments`, { data: payment })]],
  'update-cart-payment': [[404, (cart) => shopper.put(`${cart}/payments/pi_1`, { data: {} })]],
}

test('each operation on carts that a shopper has is tried', () => {
  const ids = operations
    .filter(({ path }) => path.startsWith('/v2/carts'))
    .filter(isAnyones)
    .map(({ id }) => id)
  expect(Object.keys(acts).sort()).toEqual(ids.sort())
})

const turnMaxMs = 50
/** What costs too much costs it each time; garbage is not collected each time. */
const timesMost = 5

test.for(Object.entries(acts).flatMap(([id, all]) => all.map((one, i) => [id, i, one] as const)))(
  '%s (%i) delays nobody where the cart is full',
  async ([, , [expected, run]]) => {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < timesMost && least >= turnMaxMs; i++) {
      const cart = await copyOf(full)
      await server.size()
      let reply = await run(cart)
      if (typeof reply === 'function') {
        await server.size()
        reply = await reply()
      }
      const { longestTurnMs } = await server.size()
      expect(reply.status).toBe(expected)
      least = Math.min(least, longestTurnMs)
    }
    expect(least).toBeLessThan(turnMaxMs)
  },
)

test('150 readers of a full cart delay nobody', async () => {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < timesMost && least >= turnMaxMs; i++) {
    // The first of them makes the answer.
    const cart = await copyOf(full)
    await server.size()
    const reads = lines(150, () => server.readAway(`${cart}?include=items`))
    const answers = await Promise.all(reads)
    expect(new Set(answers.map(({ status, bytes }) => `${status} ${bytes > 500_000}`))).toEqual(
      new Set(['200 true']),
    )
    least = Math.min(least, (await server.size()).longestTurnMs)
  }
  expect(least).toBeLessThan(turnMaxMs)
})
