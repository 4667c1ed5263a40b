import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type SearchIndexes, searchIndexes } from '../../../server/shop/indexes/search-indexes.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf, usd } from './merchant.ts'

let world: World
let indexes: SearchIndexes

beforeAll(async () => {
  world = await openWorld({ alone: true })
  indexes = searchIndexes(world.server.instance)
  Object.assign(indexes, { productsMin: 1, foundMin: 0 })
  const shop = merchantOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const [strong, weak] = [await shop.pricebook(), await shop.pricebook()]
  for (const name of ['bread', 'cake', 'roll'])
    await shop.put(hierarchy, node, await shop.product({ name, sku: name }))
  const schedule = { valid_from: '2030-01-01T00:00:00Z', valid_to: '2030-02-01T00:00:00Z' }
  await shop.price(strong, 'bread', usd(400), { sales: { Winter: { schedule, currencies: usd(150) } } })
  await shop.price(weak, 'bread', usd(100))
  await shop.price(weak, 'cake', usd(900))
  const pricebook_ids = [strong, weak].map((id, i) => ({ id, priority: 2 - i }))
  await shop.publish(await shop.catalog([hierarchy], { pricebook_ids }))
})
afterAll(() => world.close())

/** How many products have prices that meet a filter, the sum of those prices, and whether memory knew it. */
async function pricesAt(at: string, filter: string): Promise<readonly unknown[]> {
  const readLater = vi.spyOn(indexes, 'readLater').mockClear()
  const search = { filter_by: `price.USD.${filter}`, facet_by: 'price.USD.float_price' }
  const { status, body } = await world.admin.post(
    '/catalog/multi-search',
    { searches: [search] },
    { 'Sutler-At': at },
  )
  expect([status, body.errors]).toEqual([200, undefined])
  const [{ found, facet_counts }] = body.results
  const isKnown = !readLater.mock.calls.length
  await indexes.loading
  return [found, facet_counts[0].stats.sum, isKnown]
}

test('prices in memory are those of the strongest price book, as long as no sale begins or ends', async () => {
  const inSale = '2030-01-15T00:00:00Z'
  // First the index is read, then the prices.
  expect(await pricesAt(inSale, 'float_price:<2')).toEqual([1, 1.5, false])
  expect(await pricesAt(inSale, 'float_price:<2')).toEqual([1, 1.5, false])
  expect(await pricesAt(inSale, 'float_price:<2')).toEqual([1, 1.5, true])
  expect(await pricesAt(inSale, 'float_price:1.50')).toEqual([1, 1.5, true])
  expect(await pricesAt(inSale, 'float_price:1.505')).toEqual([0, undefined, true])
  expect(await pricesAt(inSale, 'amount:[150..900]')).toEqual([2, 10.5, true])
  expect(await pricesAt(inSale, 'float_price:!=[0..100]')).toEqual([1, undefined, true])
  expect(await pricesAt('2030-01-01T00:00:00Z', 'float_price:<2')).toEqual([1, 1.5, true])
  expect(await pricesAt('2030-01-31T23:59:59Z', 'float_price:<2')).toEqual([1, 1.5, true])
  expect(await pricesAt('2029-12-31T23:59:59Z', 'float_price:>2')).toEqual([2, 13, false])
  expect(await pricesAt('2030-02-01T00:00:00Z', 'float_price:>2')).toEqual([2, 13, false])
})
