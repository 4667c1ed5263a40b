import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergeLine } from '../../../server/carts/contents/merge-lines.ts'
import type { CartLine } from '../../../server/carts/index.ts'
import { filledCart, openShop, wrap } from '../../builders/orders/buying.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Which lines of a cart are the same, and what it costs to find out. */

let world: World
beforeAll(async () => {
  world = await openWorld()
  await openShop(world, { MUG: 1000 })
})
afterAll(() => world.close())

const mug = (custom_inputs: unknown) => ({ type: 'cart_item', sku: 'MUG', quantity: 1, custom_inputs })

test('lines with the same inputs become one, in any order of their members, and others do not', async () => {
  const cart = await filledCart(
    world.shopper,
    mug({ text: 'Ada', place: { x: 1, y: [2, { z: 3, w: 4 }] } }),
    mug({ place: { y: [2, { w: 4, z: 3 }], x: 1 }, text: 'Ada' }),
    mug({ text: 'Ada', place: { x: 1, y: [{ w: 4, z: 3 }, 2] } }),
    mug({ text: { a: 1 } }),
    mug({ text: [['a', 1]] }),
    mug({ text: '{"a":1}' }),
  )
  const { body } = await world.shopper.get(`${cart}/items`)
  expect(body.data.map(({ quantity }: { quantity: number }) => quantity)).toEqual([2, 1, 1, 1, 1])
})

/** As many lines as a cart has, with large inputs that differ only at their end. */
function linesWithLargeInputs(): readonly CartLine[] {
  const inputs = (i: number) => ({ parts: [...Array.from({ length: 500 }, () => ({})), i] })
  const line = (_: unknown, i: number) => ({
    ...{ kind: 'cart_item', id: `${i}`, productId: 'mug', quantity: 1, taxes: [] },
    customInputs: inputs(i),
  })
  return JSON.parse(JSON.stringify(Array.from({ length: 100 }, line)))
}

function costMs(merges: number): number {
  const times = Array.from({ length: 3 }, () => {
    const [added, lines] = [linesWithLargeInputs(), linesWithLargeInputs()]
    const before = process.cpuUsage()
    for (let i = 0; i < merges; i++) added.reduce(mergeLine, lines)
    return process.cpuUsage(before).user / 1000
  })
  return Math.min(...times)
}

test('lines are compared many times at the cost of reading them once', () => {
  expect(costMs(20)).toBeLessThan(8 * Math.max(5, costMs(1)))
})

test('a request merges at most as many items as a cart has', async () => {
  const from = await filledCart(world.shopper, wrap({ sku: 'A' }), wrap({ sku: 'B' }))
  const to = await filledCart(world.shopper, wrap({ sku: 'C' }))
  const merge = { type: 'cart_items', cart_id: from.split('/').at(-1) }
  const add = (...data: object[]) => world.shopper.post(`${to}/items`, { data })
  const full = await add(...Array.from({ length: 50 }, () => merge))
  expect([full.status, full.body.data.map(({ quantity }: { quantity: number }) => quantity)]).toEqual([
    201,
    [1, 50, 50],
  ])
  const over = await add(wrap({ sku: 'D' }), ...Array.from({ length: 50 }, () => merge))
  expect([over.status, over.body.errors[0].title, over.body.errors[0].source]).toEqual([
    ...[422, 'Limit Reached', 'data.50.cart_id'],
  ])
})
