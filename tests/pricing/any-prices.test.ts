import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  StoredCurrencies,
  StoredModifier,
  StoredPrice,
  StoredSale,
} from '../../server/pricebooks/index.ts'
import {
  type BookPrices,
  type PriceQuestion,
  priceChangesAt,
  priceForQuantity,
  resolvePrice,
} from '../../server/pricing/index.ts'

/** Any books, sales, tiers, modifiers and times, against the rules one by one, for each quantity and currency anew. */

const codes = ['USD', 'GBP', 'JPY']
const names = ['m1', 'm2', 'm3', 'toString', '__proto__']
const hour = 3_600_000
const begin = Date.parse('2026-07-01T00:00:00Z')
const lastHour = 12
const lastQuantity = 12
const quantities = Array.from({ length: lastQuantity + 1 }, (_, i) => i + 1)

const amounts = fc.integer({ min: 0, max: 40 })
const tiers = fc
  .uniqueArray(fc.record({ minimum_quantity: fc.integer({ min: 1, max: lastQuantity }), amount: amounts }), {
    selector: ({ minimum_quantity }) => minimum_quantity,
    maxLength: 3,
  })
  .chain((each) =>
    fc
      .shuffledSubarray(['a', 'b', '10', '2', '__proto__'], {
        minLength: each.length,
        maxLength: each.length,
      })
      .map((of) => Object.fromEntries(each.map((tier, i) => [of[i] as string, tier]))),
  )
const amount = fc.record({ amount: amounts, includes_tax: fc.boolean(), tiers }, { requiredKeys: ['amount'] })
const currencies: fc.Arbitrary<StoredCurrencies> = fc.dictionary(fc.constantFrom(...codes), amount, {
  maxKeys: 3,
})
const instant = fc.integer({ min: 0, max: lastHour }).map((at) => new Date(begin + at * hour).toISOString())
const bound = fc.option(instant, { nil: undefined })
const sale: fc.Arbitrary<StoredSale> = fc.record({
  currencies,
  schedule: fc.option(fc.record({ valid_from: bound, valid_to: bound })),
  bundle_ids: fc.option(fc.subarray(['x', 'y']), { nil: undefined }),
})
const price: fc.Arbitrary<StoredPrice> = fc.record({
  currencies,
  sales: fc.dictionary(fc.constantFrom('s1', 's2', 's3', 's4', '__proto__'), sale),
})
const modifier: fc.Arbitrary<StoredModifier> = fc.record({
  modifier_type: fc.constantFrom('price_increment', 'price_decrement', 'price_equals'),
  currencies,
})
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
const book = (pricebookId: string): fc.Arbitrary<BookPrices> =>
  fc.record({
    pricebookId: fc.constant(pricebookId),
    price: maybe(price),
    parentPrice: maybe(price),
    modifiers: fc.dictionary(fc.constantFrom(...names), modifier),
  })
const asked: fc.Arbitrary<PriceQuestion> = fc.record({
  books: fc.tuple(book('1'), book('2')).map((both) => both as readonly BookPrices[]),
  modifierNames: fc.array(fc.constantFrom(...names), { maxLength: 3 }),
  at: instant.map((time) => new Date(time)),
  bundleIds: fc.subarray(['x', 'z']),
})

const time = (text: string | null | undefined, otherwise: bigint) =>
  text ? BigInt(Date.parse(text)) : otherwise
const never = 10n ** 18n

/** The sale that goes before all others that are in force. */
function slowSale({ sales = {} }: StoredPrice, at: Date, bundles: readonly string[]) {
  const now = BigInt(at.getTime())
  const inForce = Object.entries(sales)
    .map(([name, one]) => {
      const [from, to] = [time(one.schedule?.valid_from, -never), time(one.schedule?.valid_to, never)]
      const ends = one.schedule?.valid_from && one.schedule.valid_to
      const scheduled = Boolean(one.schedule?.valid_from || one.schedule?.valid_to)
      return { name, one, from, to, scheduled, length: ends ? to - from : never }
    })
    .filter(({ one }) => Object.keys(one.currencies ?? {}).length > 0)
    .filter(({ from, to }) => from <= now && now < to)
    .filter(({ one: { bundle_ids: of = [] } }) => of.length === 0 || of.some((id) => bundles.includes(id)))
  return inForce.find((one) =>
    inForce.every((other) => {
      if (other === one) return true
      if (one.length !== other.length) return one.length < other.length
      if (one.scheduled !== other.scheduled) return one.scheduled
      return one.from === other.from ? one.name < other.name : one.from > other.from
    }),
  )
}

/** What each of so many costs by these currencies. */
function slowAmount(of: StoredCurrencies, code: string, quantity: number): number | undefined {
  const at = Object.entries(of).find(([name]) => name === code)?.[1]
  if (!at) return undefined
  for (let from = quantity; from > 0; from--) {
    const tier = Object.values(at.tiers ?? {}).find((one) => one.minimum_quantity === from)
    if (tier) return tier.amount
  }
  return at.amount
}

const keyed = <T>(of: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.entries(of).find(([name]) => name === key)?.[1]

/**
 * What each of so many costs, as the rules say it, and what it would cost without the sale; 0 of them is the price that
 * is shown first.
 */
function slowly(
  { books, modifierNames = [], at, bundleIds = [] }: PriceQuestion,
  code: string,
  quantity: number,
) {
  for (const { price, parentPrice, modifiers = {} } of books) {
    const stored = price === undefined ? parentPrice : price
    if (stored === undefined) continue
    const applied = price ? [] : modifierNames.flatMap((name) => keyed(modifiers, name) ?? [])
    const after = (of: StoredCurrencies, many: number) => {
      let now = slowAmount(of, code, many)
      if (now === undefined) return undefined
      for (const { modifier_type, currencies } of applied) {
        const by = slowAmount(currencies, code, many)
        if (by === undefined) continue
        if (modifier_type === 'price_equals') now = by
        if (modifier_type === 'price_increment') now += by
        if (modifier_type === 'price_decrement') now = now > by ? now - by : 0
      }
      return now
    }
    const found = slowSale(stored, at, bundleIds)
    const sold = after(found?.one.currencies ?? {}, quantity)
    const base = after(stored.currencies, quantity)
    if (sold === undefined) return { sale: found?.name, amount: base, original: undefined }
    // What is struck through is what as many would cost as the tier that is reached begins with.
    let begins: number[] = []
    for (const currencies of [found?.one.currencies ?? {}, ...applied.map((one) => one.currencies)]) {
      const own = Object.values(keyed(currencies, code)?.tiers ?? {}).map((tier) => tier.minimum_quantity)
      const sets = applied.some(
        (one) => one.currencies === currencies && one.modifier_type === 'price_equals',
      )
      begins = sets && keyed(currencies, code) ? own : [...begins, ...own]
    }
    const reached = Math.max(0, ...begins.filter((from) => from <= quantity))
    return { sale: found?.name, amount: sold, original: after(stored.currencies, reached) }
  }
  return undefined
}

test('any price is what the rules say, in each currency and for each quantity', () => {
  fc.assert(
    fc.property(asked, (question) => {
      const { price, trace } = resolvePrice(question)
      const expected = (code: string, quantity: number) => slowly(question, code, quantity)
      expect(price === undefined).toBe(expected('USD', 1) === undefined)
      expect(trace.pricebooks.filter(({ reason }) => reason === 'chosen').length).toBe(price ? 1 : 0)
      if (!price) return
      expect(price.sale_id).toBe(expected('USD', 1)?.sale)
      expect(trace.sales.find(({ reason }) => reason === 'in force')?.name).toBe(price.sale_id)
      for (const code of codes) {
        expect(price.currencies[code]?.amount).toBe(expected(code, 0)?.amount)
        expect(price.original?.[code]?.amount).toBe(expected(code, 0)?.original)
      }
      const each = quantities.map((quantity) => priceForQuantity(price, quantity))
      const found = codes.map((code) => each.map((one) => [one[code]?.amount, one[code]?.original?.amount]))
      const wanted = codes.map((code) =>
        quantities.map((quantity) => {
          const { amount, original } = expected(code, quantity) ?? {}
          return [amount, original]
        }),
      )
      expect(found).toEqual(wanted)
      expect(found.flat(2).every((one = 0) => Number.isSafeInteger(one) && one >= 0)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('between two changes the answer stays, and at each it becomes another', () => {
  fc.assert(
    fc.property(asked, ({ at: _, ...question }) => {
      const changes = priceChangesAt(question).map((one) => one.getTime())
      const answerAt = (when: number) => {
        const { price } = resolvePrice({ ...question, at: new Date(when) })
        return JSON.stringify(price)
      }
      const hours = Array.from({ length: lastHour + 3 }, (_, i) => begin + (i - 1) * hour)
      const changed = hours.filter((at) => answerAt(at) !== answerAt(at - 1))
      expect(changes).toEqual(changed)
    }),
    { numRuns: 500 },
  )
})

test('a price with as many modifiers as there may be is still a number', () => {
  const most: StoredModifier = { modifier_type: 'price_increment', currencies: { USD: { amount: 1e12 } } }
  const parentPrice: StoredPrice = { currencies: { USD: { amount: 1e12 } } }
  const { price } = resolvePrice({
    books: [{ pricebookId: '1', parentPrice, modifiers: { m: most } }],
    modifierNames: Array.from({ length: 1000 }, () => 'm'),
    at: new Date(begin),
  })
  expect(Number.isSafeInteger(price?.currencies.USD?.amount)).toBe(true)
})
