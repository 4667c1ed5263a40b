import { describe, expect, test } from 'vitest'
import { priceForQuantity, type StoredPrice } from '../../../server/prices/index.ts'
import type {
  StoredCurrencies,
  StoredModifier,
  StoredSale,
} from '../../../server/prices/pricebooks/stored-prices.ts'
import {
  type BookPrices,
  type PriceQuery,
  resolvePrice,
} from '../../../server/prices/pricing/resolve-price.ts'
import { priceChangesAt } from '../../../server/prices/pricing/sale-in-force.ts'

const at = (time: string) => new Date(time)
const someDay = at('2026-07-11T12:00:00Z')

const usd = (amount: number, tiers?: Record<string, [from: number, amount: number]>): StoredCurrencies => ({
  USD: { amount, includes_tax: false, ...(tiers && { tiers: tiersOf(tiers) }) },
})
const tiersOf = (tiers: Record<string, [from: number, amount: number]>) =>
  Object.fromEntries(
    Object.entries(tiers).map(([name, [minimum_quantity, amount]]) => [name, { minimum_quantity, amount }]),
  )
const book = (price?: StoredPrice, more: Partial<BookPrices> = {}): BookPrices => ({
  ...{ pricebookId: 'R', price },
  ...more,
})
const sale = (currencies: StoredCurrencies, from?: string, to?: string): StoredSale => ({
  currencies,
  ...((from || to) && { schedule: { valid_from: from, valid_to: to } }),
})
const priceOf = (question: Omit<PriceQuery, 'at'>, when = someDay) =>
  resolvePrice({ ...question, at: when }).price
const dollars = (price: ReturnType<typeof priceOf>, quantity = 1) =>
  price && priceForQuantity(price, quantity, 'USD')?.amount

describe('price books', () => {
  const [retail, vip] = [
    { pricebookId: 'retail', price: { currencies: { ...usd(1000), EUR: { amount: 950 } } } },
    { pricebookId: 'vip', price: { currencies: usd(900) } },
  ]

  test('the strongest price book with a price gives all currencies', () => {
    expect(priceOf({ books: [vip, retail] })).toEqual({
      pricebook_id: 'vip',
      currencies: { USD: { amount: 900, includes_tax: false } },
    })
  })

  test('a price book without a price is skipped', () => {
    const { price, trace } = resolvePrice({ books: [{ pricebookId: 'vip' }, retail], at: someDay })
    expect(price?.pricebook_id).toBe('retail')
    expect(trace.pricebooks).toEqual([
      { pricebook_id: 'vip', reason: 'no price' },
      { pricebook_id: 'retail', reason: 'chosen', price: 'own' },
    ])
  })

  test('without a price book there is no price, and the trace says why', () => {
    expect(resolvePrice({ books: [{ pricebookId: 'vip' }], at: someDay })).toEqual({
      price: undefined,
      trace: {
        at: '2026-07-11T12:00:00.000Z',
        pricebooks: [{ pricebook_id: 'vip', reason: 'no price' }],
        ...{ sales: [], price_modifiers: [], currencies: {} },
      },
    })
    expect(priceOf({ books: [] })).toBeUndefined()
  })
})

describe('price modifiers, of 2000', () => {
  const by = (modifier_type: StoredModifier['modifier_type'], amount: number): StoredModifier => ({
    modifier_type,
    currencies: usd(amount),
  })
  const modifiers = {
    plus500: by('price_increment', 500),
    minus300: by('price_decrement', 300),
    is1800: by('price_equals', 1800),
    minus2500: by('price_decrement', 2500),
    yen: { modifier_type: 'price_increment', currencies: { JPY: { amount: 5 } } },
  } as const
  const child = (names: readonly string[], parentPrice: StoredPrice = { currencies: usd(2000) }) =>
    priceOf({ books: [book(undefined, { parentPrice, modifiers })], modifierNames: names })

  test.each([
    [['plus500'], 2500],
    [['minus300'], 1700],
    [['is1800'], 1800],
    [['plus500', 'minus300'], 2200],
    [['minus2500'], 0],
    [['minus2500', 'plus500'], 500],
    [['is1800', 'plus500'], 2300],
    [['plus500', 'is1800'], 1800],
    [['nowhere'], 2000],
    [['constructor'], 2000],
    [['yen'], 2000],
    [[], 2000],
  ])('%j make %i', (names, amount) => {
    expect(dollars(child(names))).toBe(amount)
  })

  test('the price lists the modifiers that changed it; a price of the child itself has none', () => {
    expect(child(['plus500', 'nowhere', 'yen'])?.price_modifiers).toEqual([
      { name: 'plus500', modifier_type: 'price_increment', currencies: usd(500) },
    ])
    const books = [book({ currencies: usd(2100) }, { parentPrice: { currencies: usd(2000) }, modifiers })]
    const { price, trace } = resolvePrice({ books, modifierNames: ['plus500'], at: someDay })
    expect([dollars(price), price?.price_modifiers]).toEqual([2100, undefined])
    expect(trace.price_modifiers).toEqual([{ name: 'plus500', reason: 'the product has a price of its own' }])
  })

  test('the trace has the result of each modifier, or why it did not apply', () => {
    const books = [book(undefined, { parentPrice: { currencies: usd(2000) }, modifiers })]
    const modifierNames = ['plus500', 'nowhere', 'yen', 'minus300']
    expect(resolvePrice({ books, modifierNames, at: someDay }).trace.price_modifiers).toEqual([
      { name: 'plus500', reason: 'applied', leaves: { USD: 2500 } },
      { name: 'nowhere', reason: 'not in the price book' },
      { name: 'yen', reason: 'no currency of the price' },
      { name: 'minus300', reason: 'applied', leaves: { USD: 2200 } },
    ])
  })

  test('price_equals sets the tax flag; increments and decrements do not', () => {
    const taxed = (modifier_type: StoredModifier['modifier_type']) => ({
      m: { modifier_type, currencies: { USD: { amount: 1, includes_tax: true } } },
    })
    const flag = (type: StoredModifier['modifier_type']) =>
      priceOf({
        books: [book(undefined, { parentPrice: { currencies: usd(5) }, modifiers: taxed(type) })],
        modifierNames: ['m'],
      })?.currencies.USD?.includes_tax
    expect([flag('price_equals'), flag('price_increment'), flag('price_decrement')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('modifiers change tiers too, by their own tier for the quantity', () => {
    const parentPrice = { currencies: usd(2000, { ten: [10, 1800] }) }
    const tiered = {
      m: { modifier_type: 'price_increment', currencies: usd(500, { twenty: [20, 100] }) },
    } as const
    const price = priceOf({
      books: [book(undefined, { parentPrice, modifiers: tiered })],
      modifierNames: ['m'],
    })
    expect([1, 9, 10, 19, 20, 99].map((quantity) => dollars(price, quantity))).toEqual([
      2500, 2500, 2300, 2300, 1900, 1900,
    ])
    expect(price?.tiers).toEqual({
      ten: { minimum_quantity: 10, price: { USD: { amount: 2300, includes_tax: false } } },
      twenty: { minimum_quantity: 20, price: { USD: { amount: 1900, includes_tax: false } } },
    })
  })
})

describe('sales', () => {
  const nested = {
    currencies: usd(1000),
    sales: {
      July: sale(usd(900), '2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'),
      Weekend: sale(usd(700), '2026-07-10T00:00:00Z', '2026-07-13T00:00:00Z'),
    },
  }

  test.each([
    ['2026-06-30T23:59:59.999Z', 1000, undefined],
    ['2026-07-01T00:00:00.000Z', 900, 'July'],
    ['2026-07-09T23:59:59.999Z', 900, 'July'],
    ['2026-07-10T00:00:00.000Z', 700, 'Weekend'],
    ['2026-07-11T12:00:00.000Z', 700, 'Weekend'],
    ['2026-07-12T23:59:59.999Z', 700, 'Weekend'],
    ['2026-07-13T00:00:00.000Z', 900, 'July'],
    ['2026-07-31T23:59:59.999Z', 900, 'July'],
    ['2026-08-01T00:00:00.000Z', 1000, undefined],
  ])('at %s the price is %i', (time, amount, name) => {
    const price = priceOf({ books: [book(nested)] }, at(time))
    expect([dollars(price), price?.sale_id]).toEqual([amount, name])
  })

  test('the price changes where the sale that applies begins or ends', () => {
    const sales = { ...nested.sales, Hidden: sale(usd(800), '2026-07-02T00:00:00Z', '2027-07-30T00:00:00Z') }
    const changes = priceChangesAt({ books: [book({ ...nested, sales })] })
    // Not on July 2nd: a shorter one is in force.
    expect(changes.map((one) => one.toISOString().slice(0, 10))).toEqual([
      ...['2026-07-01', '2026-07-10', '2026-07-13', '2026-08-01', '2027-07-30'],
    ])
    expect(priceChangesAt({ books: [] })).toEqual([])
  })

  test('the trace says of each sale why it applies, or does not', () => {
    const sales = {
      ...nested.sales,
      Past: sale(usd(1), '2026-01-01T00:00:00Z', '2026-02-01T00:00:00+01:00'),
      Next: sale(usd(1), '2026-09-01T00:00:00Z'),
      Always: sale(usd(950)),
      Bundled: { ...sale(usd(1)), bundle_ids: ['b'] },
      Empty: sale({}),
    }
    const { trace } = resolvePrice({ books: [book({ ...nested, sales })], at: someDay })
    expect(trace.sales.map(({ name, reason }) => [name, reason])).toEqual([
      ['July', 'a shorter sale is in force'],
      ['Weekend', 'in force'],
      ['Past', 'over'],
      ['Next', 'not begun'],
      ['Always', 'a shorter sale is in force'],
      ['Bundled', 'only in bundles that this is not part of'],
      ['Empty', 'it has no amounts'],
    ])
    expect(trace.sales[2]).toMatchObject({
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_to: '2026-01-31T23:00:00.000Z',
    })
  })

  test('a sale without a schedule never ends, and any sale with a schedule takes precedence', () => {
    const sales = { Always: sale(usd(950)), Open: sale(usd(930), '2026-07-11T00:00:00Z') }
    const question = { books: [book({ currencies: usd(1000), sales })] }
    expect(priceOf(question, at('2026-07-10T00:00:00Z'))).toMatchObject({ sale_id: 'Always' })
    const open = priceOf(question)
    expect([open?.sale_id, open?.sale_expires, dollars(open)]).toEqual(['Open', undefined, 930])
  })

  test('of two sales of the same length, the later one applies, then the first by name', () => {
    const sales = {
      Early: sale(usd(1), '2026-07-01T00:00:00Z', '2026-07-13T00:00:00Z'),
      Late: sale(usd(2), '2026-07-05T00:00:00Z', '2026-07-17T00:00:00Z'),
    }
    expect(priceOf({ books: [book({ currencies: usd(9), sales })] })?.sale_id).toBe('Late')
    const alike = { b: sale(usd(1), '2026-07-01T00:00:00Z'), a: sale(usd(2), '2026-07-01T02:00:00+02:00') }
    expect(priceOf({ books: [book({ currencies: usd(9), sales: alike })] })?.sale_id).toBe('a')
  })

  test('a sale for bundles applies to their options only', () => {
    const sales = { Set: { ...sale(usd(80)), bundle_ids: ['b1', 'b2'] } }
    const books = [book({ currencies: usd(100), sales })]
    const inBundle = (bundleIds?: string[]) => dollars(priceOf({ books, bundleIds }))
    expect([inBundle(), inBundle(['b2']), inBundle(['b3']), inBundle(['b3', 'b1'])]).toEqual([
      100, 80, 100, 80,
    ])
  })

  test('a stronger price book without a sale takes precedence over a weaker one with a sale', () => {
    const weak = book({ currencies: usd(1000), sales: { Always: sale(usd(1)) } })
    const strong = { pricebookId: 'V', price: { currencies: usd(900) } }
    expect(dollars(priceOf({ books: [strong, weak] }))).toBe(900)
  })
})

describe('tiers', () => {
  const documented = usd(1050, { a: [6, 1000], b: [11, 950], c: [21, 850], d: [51, 790] })

  test.each([
    [1, 1050],
    [5, 5250],
    [6, 6000],
    [25, 21_250],
    [51, 40_290],
  ])('%i units cost %i', (quantity, amount) => {
    const each = dollars(priceOf({ books: [book({ currencies: documented })] }), quantity) ?? 0
    expect(quantity * each).toBe(amount)
  })

  test.each([
    ['scheduled', sale(usd(150), '2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'), 150],
    ['permanent', sale(usd(150)), 150],
    ['scheduled', sale(usd(150, { five: [5, 99] }), '2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'), 99],
    ['permanent', sale(usd(150, { five: [5, 99] })), 99],
  ])('a %s sale has its own tiers, and not the price’s', (_, one, amount) => {
    const currencies = usd(200, { five: [5, 120] })
    const price = priceOf({ books: [book({ currencies, sales: { S: one } })] })
    expect([dollars(price, 4), dollars(price, 5)]).toEqual([150, amount])
  })

  test('a currency that the sale has no amount in keeps its price and its tiers', () => {
    const currencies = {
      ...usd(200, { five: [5, 120] }),
      GBP: { amount: 190, tiers: tiersOf({ five: [5, 110] }) },
    }
    const price = priceOf({ books: [book({ currencies, sales: { S: sale(usd(150, { six: [6, 100] })) } })] })
    expect(price).toEqual({
      pricebook_id: 'R',
      currencies: { USD: { amount: 150, includes_tax: false }, GBP: { amount: 190, includes_tax: false } },
      original: { USD: { amount: 200, includes_tax: false } },
      sale_id: 'S',
      tiers: {
        five: { minimum_quantity: 5, price: { GBP: { amount: 110, includes_tax: false } } },
        six: {
          minimum_quantity: 6,
          price: { USD: { amount: 100, includes_tax: false } },
          // What six would cost without the sale: the price has a tier from five on.
          original: { USD: { amount: 120, includes_tax: false } },
        },
      },
    })
  })

  test('tiers of one name that begin at different quantities stay separate', () => {
    const currencies = {
      ...usd(200, { bulk: [5, 120] }),
      GBP: { amount: 190, tiers: tiersOf({ bulk: [7, 110] }) },
    }
    const price = priceOf({ books: [book({ currencies })] })
    expect(Object.entries(price?.tiers ?? {}).map(([name, tier]) => [name, tier.minimum_quantity])).toEqual([
      ['bulk', 5],
      ['bulk (7)', 7],
    ])
    expect(price && priceForQuantity(price, 7, 'GBP')).toEqual({
      amount: 110,
      includes_tax: false,
      tier: 'bulk (7)',
    })
  })
})

/** Two books; a sale; a child with a modifier; a tier. */
describe('from end to end', () => {
  const shirt: StoredPrice = {
    currencies: { ...usd(2000, { ten: [10, 1800] }), GBP: { amount: 1700, includes_tax: false } },
    sales: { Summer: sale(usd(1500), '2026-06-21T00:00:00Z', '2026-09-21T00:00:00Z') },
  }
  const modifiers = { PriceL: { modifier_type: 'price_increment', currencies: usd(300) } } as const
  const books = [
    { pricebookId: 'V', modifiers: {} },
    { pricebookId: 'R', parentPrice: shirt, modifiers },
  ]

  test('the large shirt', () => {
    const large = priceOf({ books, modifierNames: ['PriceL'] })
    expect(large).toMatchObject({
      pricebook_id: 'R',
      currencies: { USD: { amount: 1800, includes_tax: false }, GBP: { amount: 1700, includes_tax: false } },
      original: { USD: { amount: 2300, includes_tax: false } },
      sale_id: 'Summer',
      sale_expires: '2026-09-21T00:00:00.000Z',
    })
    expect(large?.original).not.toHaveProperty('GBP')
  })

  test('twelve shirts', () => {
    const twelve = (when: string) => {
      const price = priceOf({ books: [{ pricebookId: 'R', price: shirt }] }, at(when))
      return 12 * (dollars(price, 12) ?? 0)
    }
    expect(twelve('2026-07-01T00:00:00Z')).toBe(18_000)
    expect(twelve('2026-10-01T00:00:00Z')).toBe(21_600)
  })

  test('the trace explains the whole price', () => {
    expect(resolvePrice({ books, modifierNames: ['PriceL'], at: someDay }).trace).toEqual({
      at: '2026-07-11T12:00:00.000Z',
      pricebooks: [
        { pricebook_id: 'V', reason: 'no price' },
        { pricebook_id: 'R', reason: 'chosen', price: 'parent' },
      ],
      sales: [
        {
          ...{ name: 'Summer', reason: 'in force' },
          ...{ valid_from: '2026-06-21T00:00:00.000Z', valid_to: '2026-09-21T00:00:00.000Z' },
        },
      ],
      price_modifiers: [{ name: 'PriceL', reason: 'applied', leaves: { USD: 1800, GBP: 1700 } }],
      currencies: {
        USD: { from: 'sale', tiers: 'not of the price, as it is on sale' },
        GBP: { from: 'price', tiers: 'none' },
      },
    })
  })
})
