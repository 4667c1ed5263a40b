import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BookPrices, resolvePrice, type StoredPrice } from '../../server/pricebooks/index.ts'
import { priceSpans } from '../../server/releases/price-spans.ts'

const hour = 3_600_000
const begin = Date.parse('2026-07-01T00:00:00Z')
const instant = fc.integer({ min: 0, max: 9 }).map((at) => new Date(begin + at * hour).toISOString())
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
const amount = fc.record({ amount: fc.integer({ min: 0, max: 5 }) })
const currencies = fc.dictionary(fc.constantFrom('USD', 'GBP'), amount, { maxKeys: 2 })
const sale = fc.record({
  currencies,
  schedule: fc.record({ valid_from: maybe(instant), valid_to: maybe(instant) }),
  bundle_ids: maybe(fc.constantFrom(['b'], [])),
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

test('at each instant the spans say what the price is', () => {
  fc.assert(
    fc.property(book, fc.subarray(['m1', 'm2', 'm3']), (asked, modifierNames) => {
      const spans = priceSpans(asked, modifierNames)
      expect(spans.length > 0).toBe(!!(asked.price ?? asked.parentPrice))
      for (let at = -0.5; at <= 10; at += 0.5) {
        const ms = begin + at * hour
        const now = spans.filter(({ from, to, currency }) => currency && time(from) <= ms && ms < time(to))
        const { price } = resolvePrice({ books: [asked], modifierNames, at: new Date(ms) })
        const meant = Object.entries(price?.currencies ?? {}).map(([currency, { amount }]) => [
          currency,
          amount,
        ])
        expect(Object.fromEntries(now.map(({ currency, amount }) => [currency, amount]))).toEqual(
          Object.fromEntries(meant),
        )
        expect(now).toHaveLength(meant.length)
      }
      // One span where nothing changes.
      for (const one of spans) {
        expect(
          spans.some(
            ({ currency, amount, from }) =>
              currency === one.currency && amount === one.amount && from === one.to,
          ),
        ).toBe(false)
      }
    }),
    { numRuns: 500 },
  )
})
