import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openShop, order } from '../builders/orders/buying.ts'
import { pay, takeManualPayments } from '../builders/payments/paying.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let products: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld({ alone: true })
  products = await openShop(world, { LOAF: 500, RYE: 600 })
  await takeManualPayments(world.admin)
  const stock = { data: { type: 'stock', quantity: 10 } }
  expect((await world.admin.post(`/v2/inventories/${products.RYE}`, stock)).status).toBe(201)
})
afterAll(() => world.close())

/**
 * The messages with statements of the transaction of a payment, COMMIT among them. It sends no others; BEGIN goes with
 * the first, and what nobody reads goes with the next.
 */
async function statementsOf(sku: string): Promise<readonly string[]> {
  const { id } = await order(world.admin, { type: 'cart_item', id: products[sku], quantity: 1 })
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    expect((await pay(world.admin, id)).status).toBe(200)
    const { calls, contexts } = query.mock
    const texts = calls.map(([sent]) => (sent as unknown as { text?: string }).text ?? String(sent))
    const own = contexts[texts.findIndex((text) => text.startsWith('UPDATE orders'))]
    const sent = texts.filter((_, i) => contexts[i] === own)
    return sent.slice(0, sent.lastIndexOf('COMMIT') + 1)
  } finally {
    query.mockRestore()
  }
}

test('a payment sends few messages, COMMIT among them', async () => {
  // A connection that sees a text for the first time gets it in a message of its own.
  expect((await statementsOf('RYE')).length).toBeGreaterThan(10)
  expect((await statementsOf('LOAF')).length).toBe(4)
  expect((await statementsOf('RYE')).length).toBe(5)
})

test('the stock is taken in the message of COMMIT, as other buyers wait for it', async () => {
  const texts = await statementsOf('RYE')
  expect(texts.slice(-2)).toEqual([expect.stringContaining('UPDATE orders'), 'COMMIT'])
})
