import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sellableOf } from '../../../server/assortment/index.ts'
import type { ChosenBundle } from '../../../server/assortment/inventories/sellable.ts'

const stocksOf = (stocks: Readonly<Record<string, number>>) =>
  new Map(Object.entries(stocks).map(([id, available]) => [id, { available }]))

/** Takes bundles out of the shelves, one after the other, until something is missing. */
function packed(options: ChosenBundle['options'], stocks: Readonly<Record<string, number>>): number {
  const left = new Map(Object.entries(stocks))
  for (let n = 0; ; n++) {
    for (const { id, quantity } of options) {
      const here = left.get(id)
      if (here === undefined) continue
      if (here < quantity) return n
      left.set(id, here - quantity)
    }
  }
}

const option = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  quantity: fc.integer({ min: 1, max: 5 }),
})
const some = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 40 }))

test('as many bundles can be sold as can be packed', () => {
  fc.assert(
    fc.property(fc.array(option, { minLength: 1, maxLength: 6 }), some, (options, stocks) => {
      const sellable = sellableOf({ id: 'bundle', options }, stocksOf(stocks))
      if (options.every(({ id }) => stocks[id] === undefined)) expect(sellable).toBeUndefined()
      else expect(sellable).toBe(packed(options, stocks))
    }),
  )
})

test('a set of a console and two pads is limited by both, and by the stock of its SKU', () => {
  const options = [
    { id: 'console', quantity: 1 },
    { id: 'pad', quantity: 2 },
  ]
  expect(sellableOf({ id: 'set', options }, stocksOf({ console: 4, pad: 9 }))).toBe(4)
  expect(sellableOf({ id: 'set', options }, stocksOf({ console: 4, pad: 7 }))).toBe(3)
  expect(sellableOf({ id: 'set', sku: 'set-1', options }, stocksOf({ console: 4, pad: 7 }))).toBe(3)
  expect(sellableOf({ id: 'set', sku: 'set-1', options }, stocksOf({ console: 4, set: 9 })), 'its own').toBe(
    9,
  )
  expect(sellableOf({ id: 'set', options }, stocksOf({ console: 4, set: 9 })), 'without a SKU').toBe(4)
})
