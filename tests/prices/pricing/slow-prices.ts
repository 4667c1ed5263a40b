import fc from 'fast-check'
import type { StoredPrice } from '../../../server/prices/index.ts'
import type {
  StoredCurrencies,
  StoredModifier,
  StoredSale,
} from '../../../server/prices/pricebooks/stored-prices.ts'
import type { BookPrices, PriceQuery } from '../../../server/prices/pricing/resolve-price.ts'

/** Any books, sales, tiers, modifiers and times, and the rules one by one, for each quantity and currency anew. */

export const codes = ['USD', 'GBP', 'JPY']
export const names = ['m1', 'm2', 'm3', 'toString', '__proto__']
export const hour = 3_600_000
export const begin = Date.parse('2026-07-01T00:00:00Z')
export const lastHour = 12
const lastQuantity = 12
export const quantities = Array.from({ length: lastQuantity + 1 }, (_, i) => i + 1)

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
export const instant = fc
  .integer({ min: 0, max: lastHour })
  .map((at) => new Date(begin + at * hour).toISOString())
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
export const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
export const book = (pricebookId: string): fc.Arbitrary<BookPrices> =>
  fc.record({
    pricebookId: fc.constant(pricebookId),
    price: maybe(price),
    parentPrice: maybe(price),
    modifiers: fc.dictionary(fc.constantFrom(...names), modifier),
  })
export const questions: fc.Arbitrary<PriceQuery> = fc.record({
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
export function slowly(
  { books, modifierNames = [], at, bundleIds = [] }: PriceQuery,
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
    const best = slowSale(stored, at, bundleIds)
    const sold = after(best?.one.currencies ?? {}, quantity)
    const base = after(stored.currencies, quantity)
    if (sold === undefined) return { sale: best?.name, amount: base, original: undefined }
    // What is struck through is what as many would cost as the tier that is reached begins with.
    let begins: number[] = []
    for (const currencies of [best?.one.currencies ?? {}, ...applied.map((one) => one.currencies)]) {
      const own = Object.values(keyed(currencies, code)?.tiers ?? {}).map((tier) => tier.minimum_quantity)
      const sets = applied.some(
        (one) => one.currencies === currencies && one.modifier_type === 'price_equals',
      )
      begins = sets && keyed(currencies, code) ? own : [...begins, ...own]
    }
    const reached = Math.max(0, ...begins.filter((from) => from <= quantity))
    return { sale: best?.name, amount: sold, original: after(stored.currencies, reached) }
  }
  return undefined
}

/** Whether the price that is shown includes tax. */
export function slowTax(
  { books, modifierNames = [], at, bundleIds = [] }: PriceQuery,
  code: string,
): boolean {
  for (const { price, parentPrice, modifiers = {} } of books) {
    const stored = price ?? parentPrice
    if (!stored) continue
    const sold = slowSale(stored, at, bundleIds)?.one.currencies ?? {}
    let tax = keyed(keyed(sold, code) ? sold : stored.currencies, code)?.includes_tax ?? false
    for (const name of price ? [] : modifierNames) {
      const by = keyed(modifiers, name)
      const set = by?.modifier_type === 'price_equals' ? keyed(by.currencies, code) : undefined
      if (set) tax = set.includes_tax ?? false
    }
    return tax
  }
  return false
}
