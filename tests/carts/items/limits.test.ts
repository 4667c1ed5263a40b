import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const add = (cart: string, data: object) => world.shopper.post(`/v2/carts/${cart}/items`, { data })
const wrap = (quantity: number) => ({
  ...{ type: 'custom_item', name: 'Wrap', sku: 'WRAP', price: { amount: 0 } },
  quantity,
})

test('an item has at most a billion pieces, also after adds and merges', async () => {
  for (const cart of ['many', 'more']) expect((await add(cart, wrap(600_000_000))).status).toBe(201)
  for (const data of [wrap(400_000_001), { type: 'cart_items', cart_id: 'more' }]) {
    const { status, body } = await add('many', data)
    expect([status, body.errors[0].title, body.errors[0].source]).toEqual([422, 'Limit Reached', 'data'])
  }
  const { body } = await add('many', wrap(400_000_000))
  expect(body.data.map(({ quantity }: { quantity: number }) => quantity)).toEqual([1_000_000_000])
})

test.each([[[]], ['all'], [1]])('options that are %j are refused', async (options) => {
  const reply = await world.shopper.post('/v2/carts/options/items', { data: [wrap(1)], options })
  expect([reply.status, reply.body.errors[0].source]).toEqual([400, 'options'])
})

test('amounts that are too large for a cart name what makes them so', async () => {
  const dear = { ...wrap(1_000_000_000), sku: 'DEAR', price: { amount: Number.MAX_SAFE_INTEGER } }
  const single = await add('dear', dear)
  expect([single.status, single.body.errors[0].source]).toEqual([422, 'data.price.amount'])
  const both = await world.shopper.post('/v2/carts/dear/items', { data: [dear, wrap(1)] })
  expect([both.status, both.body.errors[0].source]).toEqual([422, 'data'])

  const { body } = await add('dear', { ...dear, quantity: 1 })
  const path = `/v2/carts/dear/items/${body.data[0].id}`
  const more = await world.shopper.put(path, { data: { type: 'cart_item', quantity: 2 } })
  expect([more.status, more.body.errors[0].source]).toEqual([422, 'data.quantity'])
  expect((await world.shopper.get('/v2/carts/dear/items')).body.data[0].quantity).toBe(1)
})

test('subscriptions are refused by their name, alone and in a list', async () => {
  const subscription = { type: 'subscription_item', id: crypto.randomUUID(), quantity: 1 }
  for (const [data, source] of [
    [subscription, 'data.type'],
    [[wrap(1), subscription], 'data.1.type'],
  ] as const) {
    const { status, body } = await add('subscriptions', data)
    expect([status, body.errors[0].source]).toEqual([422, source])
    expect(body.errors[0].detail).toMatch(/^Subscriptions are not implemented.* cart_item, custom_item,/)
  }
  expect((await world.shopper.get('/v2/carts/subscriptions/items')).body.data).toEqual([])
})
