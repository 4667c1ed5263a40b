import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf, usd } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>
let catalog: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  world = await openWorld()
  shop = merchantOf(world)
  const hierarchy = await shop.hierarchy({ name: 'Clothing' })
  const shirts = await shop.node(hierarchy, hierarchy, { name: 'Shirts' })
  const hats = await shop.node(hierarchy, hierarchy, { name: 'Hats' })
  const book = await shop.pricebook()
  const make = async (node: string, name: string, sku: string, cents: number, more: object = {}) => {
    ids[name] = await shop.product({ name, sku, ...more })
    await shop.put(hierarchy, node, ids[name])
    await shop.price(book, sku, usd(cents))
  }
  await make(shirts, 'Red Shirt', 'RS-1', 1000, { tags: ['summer', 'sale'], description: 'Worn with a hat.' })
  await make(shirts, 'Blue Shirt', 'BS-2', 2550, { tags: ['winter'], mpn: 'AB/77' })
  await make(hats, 'Red Hat', 'RH-3', 5000, { tags: ['summer'], locales: { fr: { name: 'Chapeau rouge' } } })
  await make(hats, 'Café Crème Hat', 'CC-4', 5001, { description: 'Not a shirt, nor red.' })
  catalog = await shop.catalog([hierarchy], { pricebook_id: book })
  await shop.publish(catalog)
})
afterAll(() => world.close())

test('* and an empty query return everything, last changes first', async () => {
  const everything = ['Café Crème Hat', 'Red Hat', 'Blue Shirt', 'Red Shirt']
  const [star, empty] = await shop.search({ q: '*' }, { type: 'search' })
  expect(star.hits.map(({ document }: Any) => document.attributes.name)).toEqual(everything)
  expect(star).toMatchObject({ found: 4, out_of: 4, page: 1, facet_counts: [] })
  expect(empty.hits).toEqual(star.hits)
  const shown = await world.shopper.get(`/catalog/products/${ids['Red Shirt']}`)
  if (shown.status === 200) expect(star.hits[3].document).toEqual(shown.body.data)
  expect(star.hits[3].document.meta.display_price.without_tax.formatted).toBe('$10.00')
})

test('all words must match in any text, and words in the name count more', async () => {
  expect(await shop.names({ q: 'shirt red' })).toEqual(['Red Shirt', 'Café Crème Hat'])
  expect(await shop.names({ q: 'HAT' })).toEqual(['Café Crème Hat', 'Red Hat', 'Red Shirt'])
  expect(await shop.names({ q: 'cafe' })).toEqual(['Café Crème Hat'])
  expect(await shop.names({ q: 'red green' })).toEqual([])
})

test('the last word may be incomplete, the others are whole', async () => {
  expect(await shop.names({ q: 'red sh' })).toEqual(['Red Shirt', 'Café Crème Hat'])
  expect(await shop.names({ q: 'sh red' })).toEqual([])
})

test('a search uses the language of the shopper', async () => {
  const answer = await world.shopper.post(
    '/catalog/multi-search',
    { searches: [{ q: 'chapeau rouge' }, { q: 'red hat' }] },
    { 'Accept-Language': 'fr-CA' },
  )
  const [french, english] = answer.body.results
  expect(french.hits[0].document.attributes.name).toBe('Chapeau rouge')
  expect(french.hits[0].highlight.attributes.name.snippet).toBe('<mark>Chapeau</mark> <mark>rouge</mark>')
  expect(english.hits.map(({ document }: Any) => document.id)).toContain(ids['Red Hat'])
  expect(await shop.names({ q: 'chapeau' })).toEqual(['Red Hat'])
})

test('an exact SKU or part number comes first, whatever its separators', async () => {
  expect(await shop.names({ q: 'rs-1' })).toEqual(['Red Shirt'])
  expect(await shop.names({ q: 'RS1' })).toEqual(['Red Shirt'])
  expect(await shop.names({ q: 'ab 77' })).toEqual(['Blue Shirt'])
})

test('a typo finds the intended word if there is no exact match', async () => {
  expect(await shop.names({ q: 'shrit' })).toEqual(['Blue Shirt', 'Red Shirt', 'Café Crème Hat'])
  expect(await shop.names({ q: 'red shirr' })).toEqual(['Red Shirt', 'Café Crème Hat'])
  expect(await shop.names({ q: 'rad' })).toEqual([])
})

test('a word with a digit has no typos', async () => {
  const withDigits = await world.sql(`SELECT word FROM published_words WHERE word ~ '[0-9]'`)
  expect(withDigits.rows).toEqual([])
  const word = (text: string) =>
    world.sql(`INSERT INTO published_words (store_id, catalog_id, word, n) VALUES ($1, $2, $3, 1)`, [
      world.storeId,
      catalog,
      text,
    ])
  await word('gizmo')
  await word('gizmo7')
  const like = async (text: string) => {
    const { rows } = await world.sql('SELECT words_like($1, $2, $3) AS word', [world.storeId, catalog, text])
    return rows.map(({ word }) => word)
  }
  expect(await like('gizmos')).toEqual(['gizmo'])
  expect(await like('gizmo8')).toEqual([])
})

test('facets count matches by categories, tags and prices', async () => {
  const [all, some] = await shop.search(
    { q: '*', facet_by: 'meta.search.categories.lvl1,price.USD.float_price,tags', per_page: 0 },
    {
      q: 'shirt',
      filter_by: 'categories.lvl0:=Clothing',
      facet_by: 'categories.lvl1, attributes.tags',
      max_facet_values: 1,
    },
  )
  const counts = (facet: Any) => facet.counts.map(({ value, count }: Any) => [value, count])
  const [categories, prices, tags] = all.facet_counts
  expect(all.hits).toEqual([])
  expect(categories.field_name).toBe('meta.search.categories.lvl1')
  expect(counts(categories)).toEqual([
    ['Clothing > Hats', 2],
    ['Clothing > Shirts', 2],
  ])
  expect(prices.stats).toEqual({ min: 10, max: 50.01, avg: 33.8775, sum: 135.51, total_values: 4 })
  expect(counts(prices)).toEqual([
    ['10', 1],
    ['25.5', 1],
    ['50', 1],
    ['50.01', 1],
  ])
  expect(counts(tags)).toEqual([
    ['summer', 2],
    ['sale', 1],
    ['winter', 1],
  ])
  expect(some.found).toBe(3)
  expect(some.facet_counts.map(counts)).toEqual([[['Clothing > Shirts', 2]], [['sale', 1]]])
  expect(some.facet_counts[1].stats).toEqual({ total_values: 3 })
})

test('the worked example: two facets and a filter by category and price', async () => {
  const filter_by = 'meta.search.categories.lvl1:=[`Clothing > Shirts`] && price.USD.float_price:[10..50]'
  const facet_by = 'meta.search.categories.lvl0,price.USD.float_price'
  const [result] = await shop.search({ q: '*', filter_by, facet_by })
  expect(result.found).toBe(2)
  expect(result.facet_counts.map(({ counts }: Any) => counts)).toEqual([
    [{ value: 'Clothing', count: 2, highlighted: 'Clothing' }],
    [
      { value: '10', count: 1, highlighted: '10' },
      { value: '25.5', count: 1, highlighted: '25.5' },
    ],
  ])
})
