import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../support/world.ts'

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
