import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { guestBody, openShop } from '../builders/orders/buying.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let products: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  products = await openShop(world, { LOAF: 500, RYE: 600, BUN: 100 })
  // What a process remembers of a store is read once.
  await sellTo('first')
})
afterAll(() => world.close())

async function sellTo(name: string) {
  const cart = `/v2/carts/${name}`
  const add = (sku: string) => () =>
    world.admin.post(`${cart}/items`, { data: { type: 'cart_item', id: products[sku], quantity: 1 } })
  return {
    first: await statementsOf(add('LOAF')),
    second: await statementsOf(add('RYE')),
    checkout: await statementsOf(() => world.admin.post(`${cart}/checkout`, guestBody())),
  }
}

/** How many statements the transaction of a request sends. A request sends no others. */
async function statementsOf(request: () => Promise<{ readonly status: number }>) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    expect((await request()).status).toBe(201)
    const { calls, contexts } = query.mock
    const texts = calls.map(([sent]) => (sent as unknown as { text?: string }).text ?? String(sent))
    const write = texts.findIndex((text) => /^(INSERT INTO|UPDATE) (carts|orders) /.test(text))
    const own = texts.filter((_, i) => contexts[i] === contexts[write])
    // BEGIN goes with the first of them.
    return own.indexOf('COMMIT') + 1
  } finally {
    query.mockRestore()
  }
}

test('a sale sends few statements, COMMIT among them', async () => {
  expect(await sellTo('second')).toEqual({ first: 7, second: 5, checkout: 6 })
})
