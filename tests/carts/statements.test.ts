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

/** How many messages the transaction of a request sends. A request sends no others. */
async function statementsOf(request: () => Promise<{ readonly status: number }>) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    expect((await request()).status).toBe(201)
    const { calls, contexts } = query.mock
    const messages = calls.map(([sent]) => (sent as unknown as { texts?: readonly string[] }).texts ?? [])
    const write = messages.findIndex((texts) =>
      texts.some((text) => /(INSERT INTO|UPDATE) (carts|orders) /.test(text)),
    )
    const own = messages.filter((_, i) => contexts[i] === contexts[write])
    // BEGIN goes with the first of them.
    return own.findIndex((texts) => texts.at(-1) === 'COMMIT') + 1
  } finally {
    query.mockRestore()
  }
}

test('a sale sends few messages, and the last one commits', async () => {
  expect(await sellTo('second')).toEqual({ first: 5, second: 3, checkout: 4 })
})
