import { expect, test } from 'vitest'
import { type Item, quote, type Shop } from '../../../server/prices/index.ts'

/** What it costs to quote many products of a large bundle: a shopper sends one short request for them. */

const partIds = Array.from({ length: 50 }, (_, i) => `part ${i}`)
const parts = partIds.map((id) => ({ id, quantity: 1 }))
const itemOf = (id: string): Item => ({
  ...{ id, sku: `sku of ${id}`, parentSku: undefined, modifierNames: [] },
  parts: id === 'bundle' ? parts : undefined,
})

/** A shop without prices, which counts how often one is looked up. */
function countingShop() {
  const counter = { lookups: 0 }
  const shop: Shop = {
    ...{ isPublished: true, books: ['book'], currency: undefined, at: new Date(0), holdsUntil: undefined },
    prices: async () => ({
      bookPrices: (pricebookId) => {
        counter.lookups += 1
        return { pricebookId }
      },
    }),
    findItems: async (ids) => ids.map(itemOf),
    findItemsBySku: async () => [],
  }
  return { shop, counter }
}

const bundles = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: 'bundle', quantity: i + 1 }))

async function lookupsOf(count: number): Promise<number> {
  const { shop, counter } = countingShop()
  expect(await quote(shop, bundles(count))).toHaveLength(count)
  return counter.lookups
}

test('a product is priced once, however many quantities of it are quoted', async () => {
  expect(await lookupsOf(100)).toBe(await lookupsOf(1))
})

test('other work runs while many different selections are priced', async () => {
  const { shop } = countingShop()
  let turns = 0
  const count = () => {
    turns += 1
    running = setImmediate(count)
  }
  let running = setImmediate(count)
  const selections = bundles(100).map((one, i) => ({
    ...one,
    selection: { c: { [`part ${i % 50}`]: i + 1 } },
  }))
  await quote(shop, selections)
  clearImmediate(running)
  expect(turns).toBeGreaterThanOrEqual(3)
})
