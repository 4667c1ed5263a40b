import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { searchIndexes } from '../../../server/shop/indexes/search-indexes.ts'
import { type Operand, parseFilter, type SearchFilter } from '../../../server/shop/matching/filter-syntax.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { tries } from '../../support/long.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf, usd } from './merchant.ts'
import { counted, type ListedProduct, searched, sorted, written } from './oracle.ts'

const names = ['Red', 'Blue', 'Shirt', 'Hat', 'Café', 'shirts', 'B-12']
const brands = ['Acme', 'Acme & Sons (Ltd)', 'Über, Inc', '10..20', 'Big Acme']
const tags = ['new', 'new-in', 'sale', '20']

let world: World
let products: ListedProduct[]

beforeAll(async () => {
  world = await openWorld()
  const shop = merchantOf(world)
  await makeFlow(world.admin, 'products(make)', {
    brand: { field_type: 'string' },
    pages: { field_type: 'integer' },
    used: { field_type: 'boolean' },
    grams: { field_type: 'float' },
  })
  const hierarchy = await shop.hierarchy({ name: 'All' })
  const upper = await shop.node(hierarchy, hierarchy, { name: 'Upper' })
  const nodes = [
    upper,
    await shop.node(hierarchy, upper, { name: 'Lower' }),
    await shop.node(hierarchy, hierarchy, { name: 'Side' }),
  ]
  const ways = [
    ['All', 'All > Upper'],
    ['All', 'All > Upper', 'All > Upper > Lower'],
    ['All', 'All > Side'],
  ]
  const book = await shop.pricebook()
  const categories = new Map<string, Record<string, string[]>>()
  const attributesOfAll = fc.sample(
    fc.record({
      name: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
      tags: fc.subarray(tags),
      description: fc.array(fc.constantFrom(...names, 'of'), { maxLength: 4 }),
      node: fc.nat(2),
      price: fc.option(fc.constantFrom(999, 1000, 1050, 2000, 2999)),
      make: fc.option(
        fc.record(
          {
            brand: fc.constantFrom(...brands),
            pages: fc.integer({ min: -2, max: 25 }),
            used: fc.boolean(),
            grams: fc.constantFrom(0.5, 10, 20.25),
          },
          { requiredKeys: [] },
        ),
      ),
    }),
    { numRuns: 25, seed: 7 },
  )
  for (const [i, { name, description, node, price, make, ...more }] of attributesOfAll.entries()) {
    const id = await shop.product({
      name: name.join(' '),
      description: description.join(' '),
      sku: `S-${i % 9}/${i}`,
      ...(i % 4 === 0 && { mpn: `B-${i}` }),
      ...more,
      ...(make && { extensions: { 'products(make)': make } }),
    })
    await shop.put(hierarchy, nodes[node] as string, id)
    if (price !== null) await shop.price(book, `S-${i % 9}/${i}`, usd(price))
    const way = ways[node] as string[]
    categories.set(id, Object.fromEntries(way.map((name, level) => [`lvl${level}`, [name]])))
  }
  await shop.publish(await shop.catalog([hierarchy], { pricebook_id: book }))
  const [{ hits }] = (await shop.search({ q: '*', per_page: 250 })) as [Any]
  products = hits.map(({ document }: Any) => ({ document, categories: categories.get(document.id) ?? {} }))
  expect(products).toHaveLength(attributesOfAll.length)
})
afterAll(() => world.close())

const fields = [
  'name',
  'attributes.sku',
  'manufacturer_part_num',
  'tags',
  'attributes.tags',
  'meta.search.categories.lvl1',
  'categories.lvl2',
  'meta.product_types',
  'price.USD.float_price',
  'attributes.price.USD.amount',
  'price.EUR.float_price',
  'extensions.products(make).brand',
  'attributes.extensions.products(make).pages',
  'extensions.products(make).used',
  'extensions.products(make).grams',
  'base_product',
  'no.such-field',
]
/** Searches cannot be sorted by the others. */
const sortable = fields.filter((field) => !['description', 'no.such-field'].includes(field))
const texts = [
  ...names,
  ...brands,
  ...tags,
  'Red Shirt',
  'S-1/1',
  'All > Upper',
  'true',
  'false',
  '10',
  '9.99',
  'standard',
]
const numbers = [
  '-1',
  '0',
  '9.99',
  '10',
  '10.0',
  '10.5',
  '20',
  '20.25',
  '1000',
  '123456789012345678901234567890',
]

const text = fc.constantFrom(...texts).map((text): Operand => ({ is: 'text', text }))
const range = fc
  .tuple(fc.constantFrom(...numbers), fc.constantFrom(...numbers))
  .map(([from, to]): Operand => ({ is: 'range', from, to }))
const bound = fc
  .tuple(
    fc.constantFrom('>' as const, '>=' as const, '<' as const, '<=' as const),
    fc.constantFrom(...numbers),
  )
  .map(([op, number]): Operand => ({ is: 'bound', op, number }))

/** As a product's own columns are compared word by word only where they are texts, that is asked of these alone. */
const term: fc.Arbitrary<SearchFilter> = fc.oneof(
  fc.record({
    is: fc.constant('term' as const),
    field: fc.constantFrom(...fields),
    not: fc.boolean(),
    how: fc.constantFrom('whole' as const, 'words' as const),
    operands: fc.array(fc.oneof(text, text, range, bound), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    is: fc.constant('term' as const),
    field: fc.constantFrom(...fields),
    not: fc.constant(false),
    how: fc.constant('whole' as const),
    operands: bound.map((one) => [one]),
  }),
)

const filter: fc.Arbitrary<SearchFilter> = fc.letrec<{ tree: SearchFilter }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    term,
    fc.record({
      is: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).tree

/** Groups of one kind in each other are one. */
function flat(one: SearchFilter): SearchFilter {
  return one.is === 'term' ? one : { is: one.is, of: one.of.map(flat) }
}

const looseness = fc.infiniteStream(fc.boolean())
const writing = (stream: Iterator<boolean>) => () => stream.next().value === true

test('any written filter is parsed into the same filter', () => {
  fc.assert(
    fc.property(filter, looseness, (filterBy, stream) => {
      expect(parseFilter(written(filterBy, writing(stream)))).toEqual(flat(filterBy))
    }),
    { numRuns: tries(125, 500) },
  )
})

const query = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    'red',
    'red sh',
    'shirt',
    'CAFE',
    'b12',
    'B-12',
    's-1',
    'S1 1',
    'of',
    'b',
    'red blue',
    '*?',
    'of the red',
    'hat of',
    'of the',
    'b 12',
    'r-ed',
  ),
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
)

const ask = fc.record({
  q: query,
  filterBy: fc.option(filter, { nil: undefined }),
  stream: looseness,
  facets: fc.subarray(fields, { maxLength: 3 }),
  most: fc.integer({ min: 1, max: 6 }),
  sort: fc.option(fc.record({ field: fc.constantFrom(...sortable), descending: fc.boolean() }), {
    nil: undefined,
  }),
  perPage: fc.integer({ min: 1, max: 9 }),
  page: fc.integer({ min: 1, max: 3 }),
})
type Ask = typeof ask extends fc.Arbitrary<infer A> ? A : never

const toSearch = ({ q, filterBy, stream, facets, most, sort, perPage, page }: Ask) => ({
  q,
  ...(filterBy && { filter_by: written(filterBy, writing(stream)) }),
  facet_by: facets.join(','),
  max_facet_values: most,
  ...(sort && { sort_by: `${sort.field}:${sort.descending ? 'desc' : 'asc'}` }),
  per_page: perPage,
  page,
})

const expectedOf = ({ q, filterBy, sort }: Ask): readonly ListedProduct[] => {
  const matches = searched(products, q, filterBy)
  return sort ? sorted(matches, sort.field, sort.descending) : matches
}

function expectResult({ found, hits, facet_counts }: Any, one: Ask) {
  const { facets, most, perPage, page } = one
  const expected = expectedOf(one)
  const first = (page - 1) * perPage
  expect([found, hits.map(({ document }: Any) => document.id)]).toEqual([
    expected.length,
    expected.slice(first, first + perPage).map(({ document }) => document.id),
  ])
  for (const [j, field] of facets.entries()) {
    const { counts, most: largest, of, numbers } = counted(expected, field, most)
    const { counts: shownCounts, stats } = facet_counts[j]
    expect([field, stats.total_values]).toEqual([field, counts])
    expect(shownCounts.map(({ count }: Any) => count)).toEqual(largest)
    for (const { value, count } of shownCounts)
      expect([field, value, count]).toEqual([field, value, of.get(value)])
    if (!numbers.length) expect(stats.sum).toBeUndefined()
    else {
      const sum = numbers.reduce((a, b) => a + b, 0)
      expect(stats.sum).toBeCloseTo(sum, 6)
      expect(stats.avg).toBeCloseTo(sum / numbers.length, 6)
      expect([stats.min, stats.max]).toEqual([Math.min(...numbers), Math.max(...numbers)])
    }
  }
}

/** Where nothing is found as it is written, slips are looked for. */
const isAsWritten = (one: Ask) => !one.q || expectedOf(one).length > 0

test('any search equals a scan of all products, including its counts', async () => {
  const shop = merchantOf(world)
  await fc.assert(
    fc.asyncProperty(fc.array(ask, { minLength: 1, maxLength: 10 }), async (some) => {
      // Asked for another page, other facets or another order, a search counts only what is not known of it.
      const others = some.map((one, i) => {
        const { facets, sort, page } = some[(i + 1) % some.length] as Ask
        return [one, { ...one, page }, { ...one, facets }, { ...one, sort, page: 1 }][i % 4] ?? one
      })
      const asks = [...some, ...others]
      const results = await shop.search(...asks.map(toSearch))
      for (const [i, one] of asks.entries()) if (isAsWritten(one)) expectResult(results[i], one)
    }),
    { numRuns: tries(6, 20) },
  )
})

const always: SearchFilter = {
  is: 'any',
  of: [false, true].map((not) => ({
    ...{ is: 'term', field: 'tags', not, how: 'whole' },
    operands: [{ is: 'text', text: 'new' }],
  })),
}

/** Asks for what is not cached. */
const different = (one: Ask): Ask => ({ ...one, most: one.most + 1, perPage: one.perPage + 1 })

test('any search of an index in memory equals a scan of all products, too', async () => {
  const shop = merchantOf(world)
  const indexes = searchIndexes(world.server.instance)
  const { productsMin, foundMin } = indexes
  Object.assign(indexes, { productsMin: 1, foundMin: 0 })
  const readLater = vi.spyOn(indexes, 'readLater')
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { minLength: 1, maxLength: 10 }), async (some) => {
        const asks = some.filter(isAsWritten)
        // Others that are found by the same conditions: what these lack is read for them.
        const others = asks.map((one): Ask => {
          const of = one.filterBy ? [one.filterBy, always] : [always]
          return { ...one, filterBy: { is: 'all', of: [...of, always] } }
        })
        // First the index, then its pieces; then all of it is known.
        const passes = [others, others.map(different), asks]
        for (const passed of asks.length ? passes : []) {
          readLater.mockClear()
          const results = await shop.search(...passed.map(toSearch))
          for (const [i, one] of passed.entries()) expectResult(results[i], one)
          await indexes.loading
        }
        expect(readLater).not.toHaveBeenCalled()
      }),
      { numRuns: tries(6, 20) },
    )
  } finally {
    readLater.mockRestore()
    Object.assign(indexes, { productsMin, foundMin })
  }
})
