import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCurrent } from '../../../server/kernel/storage/editions.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf, usd } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>
let hierarchy: string
let node: string
let catalog: string
let book: string
let bread: string
let price: string

beforeAll(async () => {
  world = await openWorld({ alone: true })
  shop = merchantOf(world)
  hierarchy = await shop.hierarchy()
  node = await shop.node(hierarchy)
  book = await shop.pricebook()
  bread = await shop.product({ name: 'Bread', sku: 'bread' })
  const cake = await shop.product({ name: 'Cake', sku: 'cake' })
  await shop.put(hierarchy, node, bread, cake)
  const schedule = { valid_from: '2030-01-01T00:00:00Z', valid_to: '2030-02-01T00:00:00Z' }
  price = await shop.price(book, 'bread', usd(400), { sales: { Winter: { schedule, currencies: usd(150) } } })
  await shop.price(book, 'cake', usd(900))
  catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
})
afterAll(() => world.close())

const cheap = { filter_by: 'price.USD.float_price:<2', facet_by: 'price.USD.float_price' }

async function pricesAt(at?: string): Promise<unknown> {
  const headers: Record<string, string> = at ? { 'Sutler-At': at } : {}
  const { status, body } = await world.admin.post('/catalog/multi-search', { searches: [cheap] }, headers)
  expect([status, body.errors]).toEqual([200, undefined])
  const [{ found, facet_counts, hits }] = body.results
  return [found, facet_counts[0].stats.sum, hits[0]?.document.attributes.price.USD.amount]
}

const count = async (search: object): Promise<[number, number]> => {
  const [{ found, out_of }] = (await shop.search(search)) as [Any]
  return [found, out_of]
}

test('a sale begins and ends on time, without a publication', async () => {
  expect(await pricesAt()).toEqual([0, undefined, undefined])
  expect(await pricesAt('2029-12-31T23:59:59Z')).toEqual([0, undefined, undefined])
  expect(await pricesAt('2030-01-01T00:00:00Z')).toEqual([1, 1.5, 150])
  expect(await pricesAt('2030-01-31T23:59:59Z')).toEqual([1, 1.5, 150])
  expect(await pricesAt('2030-02-01T00:00:00Z')).toEqual([0, undefined, undefined])
})

test('a search finds published texts, values, prices and words', async () => {
  await shop.change(bread, { name: 'Rye Loaf', tags: ['dark'] })
  await shop.send(
    'PUT',
    `/pcm/pricebooks/${book}/prices/${price}`,
    { type: 'product-price', id: price, attributes: { sku: 'bread', currencies: usd(199) } },
    200,
  )
  const searches = [{ q: 'loaf' }, { q: 'tags', filter_by: 'tags:=dark', facet_by: 'tags' }, cheap]
  const before = await shop.search(...searches)
  expect(before.map(({ found }) => found)).toEqual([0, 0, 0])
  const tags = { q: '*', filter_by: 'tags:=dark' }
  const completed = async (q: string) => {
    const [{ hits }] = (await shop.search({ type: 'autocomplete', q })) as [Any]
    return hits.map(({ document }: Any) => [document.q, document.count])
  }
  expect(await completed('br')).toEqual([['Bread', 1]])
  await shop.publish(catalog)
  expect([await count({ q: 'loaf' }), await count(tags), await count(cheap)]).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ])
  expect(await completed('loa')).toEqual([['Rye Loaf', 1]])
  expect(await completed('bread')).toEqual([['bread', 1]])

  const release = (await shop.get(`/catalogs/${catalog}/releases`)).data[0].id
  await shop.send('DELETE', `/catalogs/${catalog}/releases/${release}`, undefined, 204)
  expect([await count({ q: 'loaf' }), await count(tags), await count(cheap)]).toEqual([
    [0, 2],
    [0, 2],
    [0, 2],
  ])
  expect(await completed('loa')).toEqual([])
  await shop.publish(catalog)
  expect([await count({ q: 'rye loaf' }), await count(tags), await count(cheap)]).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ])
  await shop.change(bread, { status: 'draft' })
  await shop.publish(catalog)
  expect([await count({ q: 'rye' }), await count(tags), await count(cheap), await count({})]).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
    [1, 1],
  ])
  expect([await completed('rye'), await completed('')]).toEqual([[], [['Cake', 1]]])
})

test('catalog rules choose the catalog and the price books of a search', async () => {
  const [strong, weak] = [await shop.pricebook(), await shop.pricebook()]
  const [one, other] = [
    await shop.product({ name: 'One', sku: 'one' }),
    await shop.product({ name: 'Other', sku: 'other' }),
  ]
  await shop.put(hierarchy, node, one, other)
  await shop.price(strong, 'one', { EUR: { amount: 500, includes_tax: true } })
  await shop.price(weak, 'one', usd(700))
  await shop.price(weak, 'other', usd(800))
  const pricebook_ids = [
    { id: strong, priority: 9 },
    { id: weak, priority: 1 },
  ]
  const wide = await shop.catalog([hierarchy], { pricebook_ids, enable_price_segmentation: true })
  const rule = (name: string, channel: string, more: object = {}) => {
    const attributes = { name, catalog_id: wide, channels: [channel], ...more }
    return shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
  }
  await rule('both', 'both')
  await rule('weak', 'weak', { pricebook_ids: [{ id: weak, priority: 1 }] })
  await shop.publish(wide)
  const facet_by = 'price.USD.float_price,price.EUR.float_price'
  const sums = async (channel: string) => {
    const { body } = await world.shopper.post(
      '/catalog/multi-search',
      { searches: [{ facet_by }] },
      { 'EP-Channel': channel },
    )
    return body.results[0].facet_counts.map(({ stats }: Any) => [stats.total_values, stats.sum])
  }
  // The strongest book that has a price gives all of it: One has none in dollars.
  expect(await sums('both')).toEqual([
    [1, 8],
    [1, 5],
  ])
  expect(await sums('weak')).toEqual([
    [2, 15],
    [0, undefined],
  ])
})

test('a bundle without its own price is found by the prices of its parts', async () => {
  const [cup, plate] = [await shop.product({ sku: 'cup' }), await shop.product({ sku: 'plate' })]
  const options = [
    { id: cup, type: 'product', quantity: 2, default: true },
    { id: plate, type: 'product', quantity: 1, default: true },
  ]
  const bundle = await shop.product({
    name: 'Set',
    sku: 'set',
    components: { parts: { name: 'Parts', options, min: 2, max: 2 } },
  })
  await shop.put(hierarchy, node, bundle)
  const own = await shop.pricebook()
  const cupPrice = await shop.price(own, 'cup', usd(100_00))
  await shop.price(own, 'plate', usd(50_00))
  const sets = await shop.catalog([hierarchy], { pricebook_id: own })
  const attributes = { name: 'sets', catalog_id: sets, channels: ['sets'] }
  await shop.send('POST', '/catalogs/rules', { type: 'catalog_rule', attributes }, 201)
  const costs = async (price: string) => {
    const searches = [{ filter_by: `price.USD.float_price:=${price}` }]
    const { body } = await world.shopper.post('/catalog/multi-search', { searches }, { 'EP-Channel': 'sets' })
    return body.results[0].hits.map(({ document }: Any) => [
      document.attributes.name,
      document.attributes.price.USD.amount,
    ])
  }
  await shop.publish(sets)
  expect(await costs('250')).toEqual([['Set', 25000]])
  const cheaper = { type: 'product-price', id: cupPrice, attributes: { sku: 'cup', currencies: usd(80_00) } }
  await shop.send('PUT', `/pcm/pricebooks/${own}/prices/${cupPrice}`, cheaper, 200)
  await shop.publish(sets)
  expect([await costs('250'), await costs('210')]).toEqual([[], [['Set', 21000]]])
  await shop.change(plate, { status: 'draft' })
  await shop.publish(sets)
  expect(await costs('210')).toEqual([])
})

test('results are cached per release, except for prices', async () => {
  const [plain, priced] = [
    { q: '*', filter_by: 'base_product:=false', facet_by: 'commodity_type' },
    { q: '*', filter_by: 'base_product:=false && price.USD.float_price:>0' },
  ]
  const [before, was] = [await count(plain), await count(priced)]
  // Nobody does that: it tells who looks.
  await world.sql(`UPDATE published_texts SET value_ids = $1 WHERE ${isCurrent()}`, [[]])
  expect([await count(plain), await count(priced)]).toEqual([before, [0, was[1]]])
  expect(before[0]).toBeGreaterThan(0)
  const more = await shop.product({ name: 'Pie' })
  await shop.put(hierarchy, node, more)
  await shop.publish(catalog)
  const { rows } = await world.sql(
    `SELECT count(*)::int AS n FROM published_texts WHERE catalog_id = $1 AND value_ids <> $2 AND ${isCurrent()}`,
    [catalog, []],
  )
  expect((await count(plain))[0]).toBe(rows[0].n)
})
