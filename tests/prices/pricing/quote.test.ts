import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Item, quote, type Shop } from '../../../server/prices/index.ts'
import type { BookPrices } from '../../../server/prices/pricing/resolve-price.ts'
import { tries } from '../../support/long.ts'
import { begin, book, codes, hour, lastHour, maybe, names, slowly, slowTax } from './slow-prices.ts'

/** Quotes of any shop, against a slow oracle that prices each product, currency and quantity for itself. */

const bookIds = ['1', '2']
/** Bundles have products that come later in this list as their parts; sales may be for what is part of x or y. */
const ids = ['x', 'y', 'shirt', 'gone']

interface Product {
  readonly item: Item
  readonly books: readonly BookPrices[]
}

const product = (i: number): fc.Arbitrary<Product | undefined> =>
  fc
    .record({
      books: fc.tuple(...bookIds.map((id) => book(id))),
      modifierNames: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
      parts: maybe(partsAfter(i)),
      unfilled: fc.oneof(
        { weight: 9, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constant({ components: ['c'], options: ['shirt'] }) },
      ),
    })
    .chain((one) => fc.nat({ max: 3 }).map((chance) => ({ ...one, isPriced: !one.parts || chance === 0 })))
    .map(({ books, modifierNames, parts, unfilled, isPriced }) => {
      const id = ids[i] as string
      const bundle = parts && { parts, unfilled }
      return {
        // Most bundles cost what their parts cost.
        books: isPriced ? books : bookIds.map((pricebookId) => ({ pricebookId })),
        item: { id, sku: `sku of ${id}`, parentSku: undefined, modifierNames, parts: undefined, ...bundle },
      }
    })

const partsAfter = (i: number) =>
  fc
    .uniqueArray(fc.constantFrom(...ids.slice(i + 1), 'unknown'), { maxLength: 3 })
    .chain((parts) =>
      fc
        .array(fc.integer({ min: 1, max: 3 }), { minLength: parts.length, maxLength: parts.length })
        .map((quantities) => parts.map((id, j) => ({ id, quantity: quantities[j] as number }))),
    )

const shops = fc.record({
  // The last one is not published.
  products: fc.tuple(...ids.slice(0, -1).map((_, i) => product(i))),
  books: fc.subarray(bookIds),
  currency: maybe(fc.constantFrom(...codes)),
  hours: fc.integer({ min: 0, max: lastHour }),
  ruleEndsAfter: maybe(fc.integer({ min: 1, max: lastHour })),
})
type AnyShop = typeof shops extends fc.Arbitrary<infer S> ? S : never

const requests = fc.array(
  fc.record({
    id: fc.constantFrom(...ids),
    bySku: fc.boolean(),
    quantity: fc.integer({ min: 1, max: 12 }),
    selected: maybe(fc.uniqueArray(fc.constantFrom('shirt', 'gone'), { maxLength: 2 })),
  }),
  { maxLength: 4 },
)

const productsOf = ({ products }: AnyShop) =>
  new Map(products.flatMap((one) => (one ? [[one.item.id, one] as const] : [])))

function shopOf(any: AnyShop, at: Date): { shop: Shop; reads: string[] } {
  const products = productsOf(any)
  const reads: string[] = []
  const among = (keys: readonly string[], key: (item: Item) => string | undefined) =>
    [...products.values()].map(({ item }) => item).filter((item) => keys.includes(key(item) as string))
  const shop: Shop = {
    isPublished: true,
    books: any.books,
    currency: any.currency,
    at,
    holdsUntil:
      any.ruleEndsAfter === undefined
        ? undefined
        : new Date(begin + any.hours * hour + any.ruleEndsAfter * hour),
    prices: async (pricebookIds, items) => {
      reads.push('prices')
      const skus = new Set(items.map(({ sku }) => sku))
      return {
        // Nothing is known but what was read.
        bookPrices: (pricebookId, { sku }) => {
          if (!skus.has(sku) || !pricebookIds.includes(pricebookId)) return { pricebookId }
          const { books } = [...products.values()].find(({ item }) => item.sku === sku) as Product
          return books.find((one) => one.pricebookId === pricebookId) as BookPrices
        },
      }
    },
    findItems: async (keys) => among(keys, ({ id }) => id),
    findItemsBySku: async (keys) => among(keys, ({ sku }) => sku),
  }
  return { shop, reads }
}

interface SlowAmount {
  readonly amount: number
  readonly tax: boolean
}

/** What each of so many costs in a currency, by the rules; 0 of them is the price that is shown first. */
function slowAmount(
  any: AnyShop,
  { item, books }: Product,
  parts: Item['parts'],
  at: Date,
  [code, quantity]: readonly [string, number],
  bundleIds: readonly string[] = [],
): SlowAmount | undefined {
  if (item.unfilled) return undefined
  const counting = any.books.map((id) => books.find((one) => one.pricebookId === id) as BookPrices)
  const question = { books: counting, modifierNames: item.modifierNames, at, bundleIds }
  const own = slowly(question, code, quantity)
  if (own) return own.amount === undefined ? undefined : { amount: own.amount, tax: slowTax(question, code) }
  const each = (parts ?? []).map((part) => {
    const product = productsOf(any).get(part.id)
    const one = product && slowAmount(any, product, product.item.parts, at, [code, 0], [item.id])
    return one && { ...one, amount: one.amount * part.quantity }
  })
  if (!each.length || each.some((one) => !one || one.tax !== each[0]?.tax)) return undefined
  return { amount: each.reduce((sum, one) => sum + (one?.amount ?? 0), 0), tax: each[0]?.tax === true }
}

const selectionOf = (selected: readonly string[] | undefined) =>
  selected && { component: Object.fromEntries(selected.map((id) => [id, 2])) }

test('a quote follows the rules: a price and its trace, or why there is none, and until when', async () => {
  await fc.assert(
    fc.asyncProperty(shops, requests, async (any, items) => {
      const products = productsOf(any)
      const quotesAt = async (hours: number) => {
        const at = new Date(begin + hours * hour)
        const { shop, reads } = shopOf(any, at)
        const answers = await quote(
          shop,
          items.map(({ id, bySku, quantity, selected }) => ({
            ...(bySku ? { sku: `sku of ${id}` } : { id }),
            quantity,
            selection: selectionOf(selected),
          })),
        )
        expect(reads.length).toBe(items.length ? 1 : 0)
        return answers
      }
      const at = new Date(begin + any.hours * hour)
      const quotes = await quotesAt(any.hours)
      for (const [i, { id, quantity, selected }] of items.entries()) {
        const answer = quotes[i]
        const one = products.get(id)
        const parts = selected ? selected.map((id) => ({ id, quantity: 2 })) : one?.item.parts
        const amounts = codes.flatMap((code) => {
          const unit = one && slowAmount(any, one, parts, at, [code, quantity])
          return unit ? [[code, unit.amount, unit.tax] as const] : []
        })
        const isPriced = amounts.some(([code]) => any.currency === undefined || code === any.currency)
        if (answer?.isPriced) {
          const prices = Object.entries(answer.unitPrices)
          expect(
            prices.map(([code, { amount, includes_tax }]) => [code, amount, includes_tax]).sort(),
          ).toEqual(amounts.toSorted())
          expect(answer.price.trace.at).toBe(at.toISOString())
        } else {
          expect(answer?.reason.detail).toMatch(/^[A-Z].*\.$/s)
          expect(answer?.reason.verdict === 'not_published').toBe(one === undefined)
        }
        // A price in no currency is a price; where any will do there is nothing to show.
        if (one && (any.currency !== undefined || amounts.length)) expect(answer?.isPriced).toBe(isPriced)
        expect(answer?.item?.id).toBe(one?.item.id)
      }
      // Up to `holdsUntil`, and not beyond the end of a rule, each quote stays as it is.
      const same = (answer: (typeof quotes)[number] | undefined) =>
        JSON.stringify(answer?.isPriced ? [answer.unitPrices, answer.price.amounts] : answer?.reason)
      for (let hours = any.hours; hours <= lastHour + 1; hours++) {
        const later = await quotesAt(hours)
        for (const [i, answer] of quotes.entries()) {
          const until = answer.holdsUntil?.getTime() ?? Number.POSITIVE_INFINITY
          if (any.ruleEndsAfter !== undefined) {
            expect(until).toBeLessThanOrEqual(begin + (any.hours + any.ruleEndsAfter) * hour)
          }
          expect(until).toBeGreaterThan(at.getTime())
          if (begin + hours * hour < until) expect(same(later[i])).toBe(same(answer))
        }
      }
    }),
    { numRuns: tries(30, 150) },
  )
})

test('what a shopper selects of a bundle does not change another bundle that has it as a part', async () => {
  const priced = (id: string, amount: number) => ({
    ...{ id, sku: `sku of ${id}`, parentSku: undefined, modifierNames: [], parts: undefined, amount },
  })
  const [shirt, gone] = [priced('shirt', 5), priced('gone', 7)]
  const y = { ...priced('y', 0), parts: [{ id: 'shirt', quantity: 1 }] }
  const x = { ...priced('x', 0), parts: [{ id: 'y', quantity: 1 }] }
  const items = [x, y, shirt, gone]
  const shop: Shop = {
    ...{ isPublished: true, books: ['1'], currency: 'USD', at: new Date(begin), holdsUntil: undefined },
    prices: async () => ({
      bookPrices: (pricebookId, { sku }) => {
        const amount = items.find((item) => item.sku === sku)?.amount
        return { pricebookId, ...(amount && { price: { currencies: { USD: { amount } } } }) }
      },
    }),
    findItems: async (keys) => items.filter(({ id }) => keys.includes(id)),
    findItemsBySku: async () => [],
  }
  const selection = { component: { gone: 2 } }
  const quotes = await quote(shop, [
    { id: 'x', quantity: 1 },
    { id: 'y', quantity: 1, selection },
    { id: 'y', quantity: 1 },
  ])
  expect(quotes.map((one) => one.isPriced && one.unitPrices.USD?.amount)).toEqual([5, 14, 5])
})

test('where nothing is published there is no error, and nothing is read', async () => {
  const never = () => Promise.reject(new Error('nothing is to be read'))
  const at = new Date(begin)
  const holdsUntil = new Date(begin + hour)
  const shop: Shop = {
    ...{ isPublished: false, books: [], currency: 'USD', at, holdsUntil },
    ...{ prices: never, findItems: never, findItemsBySku: never },
  }
  expect(await quote(shop, [{ id: 'shirt', quantity: 1 }])).toEqual([
    {
      isPriced: false,
      reason: { verdict: 'nothing_published', detail: 'Nothing is published for the shopper.' },
      holdsUntil,
    },
  ])
})
