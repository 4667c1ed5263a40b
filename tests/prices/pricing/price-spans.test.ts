import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Item,
  type PriceAmounts,
  type PriceSpan,
  type PriceTable,
  priceSpans,
  type StoredPrice,
} from '../../../server/prices/index.ts'
import { bundlePrice } from '../../../server/prices/pricing/bundle-price.ts'
import { type BookPrices, resolvePrice } from '../../../server/prices/pricing/resolve-price.ts'
import { tries } from '../../support/long.ts'

const hour = 3_600_000
const begin = Date.parse('2026-07-01T00:00:00Z')
const instant = fc.integer({ min: 0, max: 9 }).map((at) => new Date(begin + at * hour).toISOString())
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
const amount = fc.record({ amount: fc.integer({ min: 0, max: 5 }) })
const currencies = fc.dictionary(fc.constantFrom('USD', 'GBP'), amount, { maxKeys: 2 })
const sale = fc.record({
  currencies,
  schedule: fc.record({ valid_from: maybe(instant), valid_to: maybe(instant) }),
  bundle_ids: maybe(fc.constantFrom(['0'], ['0.1'], [])),
})
const price: fc.Arbitrary<StoredPrice> = fc.record({
  currencies,
  sales: fc.dictionary(fc.constantFrom('s1', 's2', 's3'), sale),
})
const modifier = fc.record({
  modifier_type: fc.constantFrom(
    'price_increment' as const,
    'price_decrement' as const,
    'price_equals' as const,
  ),
  currencies,
})
const book: fc.Arbitrary<BookPrices> = fc.record({
  pricebookId: fc.constant('book'),
  price: maybe(price),
  parentPrice: maybe(price),
  modifiers: fc.dictionary(fc.constantFrom('m1', 'm2'), modifier),
})

const time = (text: string) =>
  text.endsWith('infinity') ? (text.startsWith('-') ? -Infinity : Infinity) : Date.parse(text)

/** A product with what it consists of. */
interface PricedProduct {
  readonly book: BookPrices
  readonly modifierNames: readonly string[]
  readonly parts: readonly { readonly quantity: number; readonly priced: PricedProduct | undefined }[]
}

const priced: fc.Arbitrary<PricedProduct> = fc.letrec<{ priced: PricedProduct }>((tie) => ({
  priced: fc.record({
    book,
    modifierNames: fc.subarray(['m1', 'm2', 'm3']),
    parts: fc.oneof(
      { maxDepth: 2 },
      fc.constant([]),
      fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 3 }), priced: maybe(tie('priced')) }), {
        maxLength: 2,
      }),
    ),
  }),
})).priced

/** What it costs at an instant, by the rules that show it. A part is called after its bundle and its place in it. */
function costs(
  { book, modifierNames, parts }: PricedProduct,
  at: Date,
  id: string,
  bundleIds: readonly string[] = [],
): PriceAmounts | undefined {
  const own = resolvePrice({ books: [book], modifierNames, bundleIds, at }).price
  if (own) return own.currencies
  const each = parts.map(({ quantity, priced }, i) => {
    const currencies = priced && costs(priced, at, `${id}.${i}`, [id])
    return { quantity, price: currencies && { currencies } }
  })
  return bundlePrice(each)?.currencies
}

/** The same as items: their SKUs are their ids. */
function itemsOf(tree: PricedProduct) {
  const items = new Map<string, Item>()
  const books = new Map<string, BookPrices>()
  const add = (id: string, { book, modifierNames, parts }: PricedProduct) => {
    const each = parts.map(({ quantity }, i) => ({ id: `${id}.${i}`, quantity }))
    items.set(id, { id, sku: id, parentSku: undefined, modifierNames, parts: each })
    books.set(id, book)
    for (const [i, { priced }] of parts.entries()) if (priced) add(`${id}.${i}`, priced)
  }
  add('0', tree)
  const prices: PriceTable = { bookPrices: (_book, { sku = '' }) => books.get(sku) as BookPrices }
  return { item: items.get('0') as Item, items, prices }
}

test('spans have the price of each instant, for bundles too', () => {
  fc.assert(
    fc.property(priced, (product) => {
      const { item, ...from } = itemsOf(product)
      const spans = priceSpans(item, 'book', from)
      if (product.book.price ?? product.book.parentPrice) expect(spans).not.toEqual([])
      for (let at = -0.5; at <= 10; at += 0.5) {
        const ms = begin + at * hour
        const now = spans.filter(({ from, to, currency }) => currency && time(from) <= ms && ms < time(to))
        const meant = Object.entries(costs(product, new Date(ms), '0') ?? {})
        expect(now.map(({ currency, amount }) => [currency, amount]).sort()).toEqual(
          meant.map(([currency, { amount }]) => [currency, amount]).sort(),
        )
      }
      // One span where nothing changes.
      const goesOn = ({ currency, amount, to }: PriceSpan) =>
        spans.some((other) => other.currency === currency && other.amount === amount && other.from === to)
      expect(spans.filter(goesOn)).toEqual([])
    }),
    { numRuns: tries(75, 300) },
  )
})
