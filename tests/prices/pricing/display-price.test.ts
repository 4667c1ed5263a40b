import { expect, test } from 'vitest'
import { displayCurrency, displayPrice, shownPrice } from '../../../server/prices/index.ts'
import { bundlePrice } from '../../../server/prices/pricing/bundle-price.ts'
import { resolvePrice } from '../../../server/prices/pricing/resolve-price.ts'
import { dollar } from '../../../server/store/currencies/currencies.ts'

const usd = { ...dollar, default: true, enabled: true }
const yen = { ...usd, code: 'JPY', format: '¥{price}', decimal_places: 0, default: false }
const pounds = { ...usd, code: 'GBP', format: '£{price}', default: false }
const francs = { ...usd, code: 'CHF', default: false, enabled: false }
const all = [usd, yen, pounds, francs]

const schedule = { valid_from: '2026-06-30T02:45:11Z', valid_to: '2026-07-30T02:45:11Z' }
const stored = {
  currencies: { EUR: { amount: 1102 }, GBP: { amount: 1000 }, USD: { amount: 1900 } },
  sales: {
    Test: { schedule, currencies: { EUR: { amount: 999 }, GBP: { amount: 888 }, USD: { amount: 1400 } } },
  },
}
const onSale = resolvePrice({
  books: [{ pricebookId: 'book', price: stored }],
  at: new Date('2026-07-01T00:00:00Z'),
}).price
if (!onSale) throw new Error('it has a price')

test('a price on sale, as shoppers see it', () => {
  const flat = (amount: number) => ({ amount, includes_tax: false })
  expect(shownPrice(onSale, usd)).toEqual({
    attributes: { price: { EUR: flat(999), GBP: flat(888), USD: flat(1400) } },
    meta: {
      pricebook_id: 'book',
      original_price: { EUR: flat(1102), GBP: flat(1000), USD: flat(1900) },
      display_price: { without_tax: { amount: 1400, currency: 'USD', float_price: 14, formatted: '$14.00' } },
      original_display_price: {
        without_tax: { amount: 1900, currency: 'USD', float_price: 19, formatted: '$19.00' },
      },
      sale_id: 'Test',
      sale_expires: '2026-07-30T02:45:11.000Z',
    },
  })
})

test('without a price in the currency, amounts are shown but no display price', () => {
  const { attributes, meta } = shownPrice(onSale, yen)
  expect(Object.keys(attributes.price)).toEqual(['EUR', 'GBP', 'USD'])
  expect([meta.display_price, meta.original_display_price]).toEqual([undefined, undefined])
  expect(shownPrice(onSale, undefined).meta.display_price).toBeUndefined()
})

test('with tax or without, never both', () => {
  const amounts = { JPY: { amount: 1400, includes_tax: true } }
  expect(displayPrice(amounts, yen)).toEqual({
    with_tax: { amount: 1400, currency: 'JPY', float_price: 1400, formatted: '¥1,400' },
  })
  expect(displayPrice(amounts, usd)).toBeUndefined()
})

test.each([
  ['GBP', 'GBP'],
  [' gbp ', 'GBP'],
  [undefined, 'USD'],
  ['XXX', 'USD'],
  ['CHF', 'USD'],
])('a shopper who requests %j sees %s', (header, code) => {
  expect(displayCurrency(header, all)?.code).toBe(code)
})

test('tiers and modifiers, as shoppers see them', () => {
  const tiers = { five: { minimum_quantity: 5, amount: 900 } }
  const modifiers = { L: { modifier_type: 'price_increment', currencies: { USD: { amount: 100 } } } } as const
  const sales = { S: { currencies: { USD: { amount: 1500, tiers } } } }
  const { price } = resolvePrice({
    books: [
      { pricebookId: 'book', parentPrice: { currencies: { USD: { amount: 2000 } }, sales }, modifiers },
    ],
    modifierNames: ['L'],
    at: new Date(0),
  })
  const flat = (amount: number) => ({ USD: { amount, includes_tax: false } })
  const shown = price && shownPrice(price, usd)
  expect(shown?.attributes).toEqual({
    price: flat(1600),
    tiers: { five: { minimum_quantity: 5, price: flat(1000) } },
    price_modifiers: ['L'],
  })
  expect(shown?.meta.tiers).toMatchObject({
    five: {
      display_price: { without_tax: { formatted: '$10.00' } },
      original_price: flat(2100),
      original_display_price: { without_tax: { formatted: '$21.00' } },
      sale_id: 'S',
    },
  })
  expect(shown?.meta.price_modifiers).toEqual(modifiers)
})

test('the parts of a bundle, in the currencies that all of them have', () => {
  const flat = (amount: number) => ({ amount, includes_tax: false })
  const a = { currencies: { USD: flat(80), EUR: flat(70) }, original: { USD: flat(100) } }
  const b = { currencies: { USD: flat(35), GBP: flat(30) } }
  expect(
    bundlePrice([
      { quantity: 1, price: a },
      { quantity: 2, price: b },
    ]),
  ).toEqual({ currencies: { USD: flat(150) }, original: { USD: flat(170) } })
  expect(bundlePrice([{ quantity: 2, price: b }])).toEqual({ currencies: { USD: flat(70), GBP: flat(60) } })
})

test('a bundle has no price where a part has none, or where they have no currency in common', () => {
  const price = { currencies: { USD: { amount: 1, includes_tax: false } } }
  const taxed = { currencies: { USD: { amount: 1, includes_tax: true } } }
  const of = (...parts: Parameters<typeof bundlePrice>[0][number]['price'][]) =>
    bundlePrice(parts.map((one) => ({ quantity: 1, price: one })))
  expect([of(price, undefined), of(price, taxed), of()]).toEqual([undefined, undefined, undefined])
})

test('a sum that is too large is not a price', () => {
  const flat = (amount: number) => ({ amount, includes_tax: false })
  const part = (amount: number, before = amount) => ({
    currencies: { USD: flat(amount), GBP: flat(1) },
    original: { USD: flat(before) },
  })
  const most = 1_000_000_000_000
  const of = (quantity: number, price: ReturnType<typeof part>) => bundlePrice([{ quantity, price }])
  expect(of(9007, part(most))?.currencies.USD?.amount).toBe(9_007_000_000_000_000)
  expect(of(9008, part(most))).toEqual({ currencies: { GBP: flat(9008) } })
  expect(of(9008, part(1, most))).toEqual({ currencies: { USD: flat(9008), GBP: flat(9008) } })
  const [one, two] = [part(most), part(Number.MAX_SAFE_INTEGER)]
  expect(bundlePrice([one, two].map((price) => ({ quantity: 1, price })))).toEqual({
    currencies: { GBP: flat(2) },
  })
})
