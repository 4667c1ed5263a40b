import { expect, test } from 'vitest'
import { displayCart } from '../../../server/carts/index.ts'
import {
  displayLine,
  displayPromotionItem,
  displayShipping,
} from '../../../server/carts/totals/display-totals.ts'
import { totalCart } from '../../../server/carts/totals/total-cart.ts'
import type { TotalsLine } from '../../../server/carts/totals/totals-cart.ts'
import type { Share } from '../../../server/promotions/index.ts'
import { dollar } from '../../../server/store/currencies/currencies.ts'
import { cause, line, pricesOf, rates, share, totalsOf } from './sample-lines.ts'

/** One cart for each rule. docs/money.md explains the rules with other numbers. */

test('tax is rounded once for each line', () => {
  const cart = totalsOf([line(333, 3, { taxes: rates(0.1) })])
  expect(cart.prices).toMatchObject({ with_tax: 1099, without_tax: 999, tax: 100 })
  expect(cart.lines[0]?.prices).toMatchObject({ tax: { unit: 33 }, with_tax: { unit: 366 } })
})

test('with the simple method tax is rounded for each unit', () => {
  const lines = [line(333, 3, { taxes: rates(0.1) })]
  expect(pricesOf(lines, { method: 'simple' })).toMatchObject({ with_tax: 1098, tax: 99 })
})

test('with the simple method a discount of the cart comes off the taxed total', () => {
  const [a, b] = [line(999, 3, { taxes: rates(0.2) }), line(1, 3)]
  const shares = [share(a, -999, 1, true), share(b, -1, 1, true)]
  expect(pricesOf([a, b], { method: 'simple', shares })).toMatchObject({
    ...{ with_tax: 2600, without_tax: 2000, tax: 600, discount: -1000, without_discount: 3000 },
  })
})

test('with the line method it is shared by the lines before tax', () => {
  const [a, b] = [line(999, 3, { taxes: rates(0.2) }), line(1, 3)]
  const shares = [share(a, -999, 1, true), share(b, -1, 1, true)]
  const cart = totalsOf([a, b], { shares })
  expect(cart.prices).toMatchObject({ with_tax: 2400, without_tax: 2000, tax: 400, discount: -1000 })
  expect(cart.cartPromotions.map(({ amount }) => amount)).toEqual([-1000])
})

test('tax is extracted from a price that includes it', () => {
  const lines = [line(1299, 3, { includesTax: true, taxes: rates(0.2) })]
  expect(pricesOf(lines)).toMatchObject({ with_tax: 3897, without_tax: 3248, tax: 649 })
})

test('a discount lowers a price that includes tax, and the tax with it', () => {
  const item = line(1200, 2, { includesTax: true, taxes: rates(0.2) })
  expect(pricesOf([item], { shares: [share(item, -240, 1)] })).toMatchObject({
    ...{ with_tax: 2160, without_tax: 1800, tax: 360, discount: -240, without_discount: 2400 },
  })
})

test('unit prices are rounded for display only', () => {
  const item = line(1400, 2)
  const cart = totalsOf([item], { shares: [share(item, -140, 1), share(item, -266, 2, true)] })
  expect(cart.prices).toMatchObject({ with_tax: 2394, discount: -406 })
  expect(cart.lines[0]?.prices).toMatchObject({ discount: { unit: -203 }, with_tax: { unit: 1197 } })
})

test('each of several rates is rounded by itself', () => {
  expect(pricesOf([line(1999, 1, { taxes: rates(0.05, 0.08) })])).toMatchObject({ with_tax: 2259, tax: 260 })
})

test('shipping is added to three totals, and is no tax', () => {
  const groups = [
    { id: 'linked', base: 500, tax: 100, fees: 100 },
    { id: 'empty', base: 900, tax: 0, fees: 0 },
  ]
  const lines = [line(20_000, 1, { shippingGroupId: 'linked' })]
  expect(pricesOf(lines, { shippingGroups: groups })).toMatchObject({
    ...{ with_tax: 20_700, without_tax: 20_700, without_discount: 20_700, shipping: 700, tax: 0 },
  })
  const shippingShares = [{ groupId: 'linked', amount: -500, cause: cause('free') }]
  expect(pricesOf(lines, { shippingGroups: groups, shippingShares })).toMatchObject({
    ...{ with_tax: 20_200, without_discount: 20_700, shipping: 700, shipping_discount: -500, discount: 0 },
  })
})

test('a tax amount is for the whole line', () => {
  const taxes = [{ id: 'tax', amount: 500 }]
  expect(pricesOf([line(250, 4, { taxes })])).toMatchObject({ with_tax: 1500, tax: 500 })
})

test('tax is of what discounts leave of each line', () => {
  const [a, b] = [line(5000, 1, { taxes: rates(0.2) }), line(2500, 1, { taxes: rates(0.05) })]
  const shares = [share(a, -500, 1, true), share(b, -250, 1, true)]
  expect(pricesOf([a, b], { shares })).toMatchObject({ with_tax: 7763, without_tax: 6750, tax: 1013 })
})

test('custom discounts take those of lines first, and stop at what is left', () => {
  const [a, b] = [line(1000, 1), line(1000, 1)]
  const discount = { name: '', code: '' }
  const cart = totalCart({
    method: 'line',
    lines: [a, b],
    discounts: {
      source: 'custom',
      ofLines: [{ ...discount, id: 'one', lineId: a.id, amount: -5000 }],
      ofCart: [{ ...discount, id: 'two', amount: -300 }],
    },
    shippingGroups: [],
  })
  expect(cart.prices).toMatchObject({ with_tax: 700, discount: -1300 })
  expect(cart.lines.map(({ prices }) => prices.with_tax.value)).toEqual([0, 700])
  expect(cart.cartPromotions).toEqual([])
})

test('a discount of the cart over equal lines gives left-over units to the first', () => {
  const lines = [line(1000, 1), line(1000, 1), line(1000, 1)]
  const cart = totalCart({
    method: 'line',
    lines,
    discounts: { source: 'custom', ofLines: [], ofCart: [{ id: 'x', name: '', code: '', amount: -1000 }] },
    shippingGroups: [],
  })
  expect(cart.lines.map(({ prices }) => prices.discount.value)).toEqual([-334, -333, -333])
  expect(cart.prices.with_tax).toBe(2000)
})

/** Lines with what promotions take off them: the whole cart costs what is left. */
test.each<
  [of: string, lines: readonly TotalsLine[], taken: readonly (readonly [number, number])[], left: number]
>([
  [
    'two equal lines',
    [line(10_000, 1), line(10_000, 1)],
    [
      [0, -500],
      [1, -500],
    ],
    19_000,
  ],
  [
    'three layers on one item',
    [line(10_000, 1)],
    [
      [0, -1000],
      [0, -2000],
      [0, -1000],
    ],
    6000,
  ],
  ['a discount of the whole price', [line(3000, 1)], [[0, -3000]], 0],
  ['a capped percentage', [line(30_000, 1)], [[0, -5000]], 25_000],
  ['two free units of seven', [line(500, 7)], [[0, -1000]], 2500],
  [
    'a bundle and a percentage',
    [line(15_000, 1), line(10_000, 2)],
    [
      [0, -3000],
      [1, -2000],
      [1, -1000],
    ],
    29_000,
  ],
  [
    '20 % and then 10 %',
    [line(10_000, 1)],
    [
      [0, -2000],
      [0, -800],
    ],
    7200,
  ],
  [
    '10 % and then 20 %',
    [line(10_000, 1)],
    [
      [0, -1000],
      [0, -1800],
    ],
    7200,
  ],
])('%s: what promotions leave', (_, lines, taken, left) => {
  const shares = taken.map(([index, amount], i) => share(lines[index] ?? line(0, 1), amount, i + 1))
  const { prices } = totalsOf(lines, { shares })
  expect([prices.with_tax, prices.without_tax]).toEqual([left, left])
  expect(prices.without_discount + prices.discount).toBe(left)
})

test('the promotions of the cart are the sums of their shares, in order; zero shares stay with their lines', () => {
  const [a, b] = [line(600, 1), line(400, 1)]
  const shares = [
    ...[share(a, -60, 3, true, 'rule'), share(b, -40, 3, true, 'rule')],
    ...[share(b, -100, 1), share(a, 0, 2, true), share(b, 0, 2, true)],
  ]
  const cart = totalsOf([a, b], { shares })
  expect(cart.cartPromotions).toEqual([{ cause: cause('promotion 3', 'rule'), amount: -100 }])
  expect(cart.lines.map(({ discounts }) => discounts.map(({ ordinal }) => ordinal))).toEqual([
    [2, 3],
    [1, 2, 3],
  ])
})

test('with the simple method only standard promotions of the whole cart apply', () => {
  const item = line(1000, 1)
  const shares = [share(item, -100, 1), share(item, -200, 2, true), share(item, -300, 3, true, 'rule')]
  expect(totalsOf([item], { method: 'simple', shares }).cartPromotions).toEqual([
    { cause: cause('promotion 2'), amount: -200 },
  ])
  const one = { id: 'x', name: '', code: '', amount: -50 }
  const discounts = { source: 'custom', ofLines: [{ ...one, lineId: item.id }], ofCart: [one] } as const
  expect(totalCart({ method: 'simple', lines: [item], discounts, shippingGroups: [] }).prices).toMatchObject({
    ...{ with_tax: 1000, discount: 0 },
  })
})

test('an empty cart costs nothing', () => {
  expect(Object.values(pricesOf([], { shippingGroups: [{ id: 'a', base: 5, tax: 5, fees: 5 }] }))).toEqual(
    Array.from({ length: 7 }, () => 0),
  )
})

test('shares that cannot be right are an error of the server, not another total', () => {
  const item = line(100, 1)
  const taking =
    (...shares: readonly Share[]) =>
    () =>
      totalsOf([item], { shares })
  expect(taking(share(line(1, 1), -1, 1))).toThrow('there is no line')
  expect(taking(share(item, 1, 1))).toThrow('is a surcharge')
  expect(taking(share(item, -60, 1), share(item, -41, 2))).toThrow('exceed its price')
  const shippingGroups = [{ id: 'a', base: 5, tax: 5, fees: 5 }]
  const shippingShares = [{ groupId: 'a', amount: -6, cause: cause('free') }]
  expect(() => totalsOf([item], { shippingGroups, shippingShares })).toThrow('-6 cannot be taken off 5')
})

const usd = (amount: number, formatted: string) => ({ amount, currency: 'USD', formatted })

test('a line shows its discounts by code, and those of a code by promotion', () => {
  const item = line(10_000, 2)
  const inSale = (id: string) => ({ ...cause(id), code: 'SALE' })
  const shares = [
    { ...share(item, -2000, 1), cause: inSale('one') },
    { ...share(item, -3000, 2, true), cause: inSale('two') },
    { ...share(item, -500, 3), cause: { ...cause('three'), code: '__proto__' } },
  ]
  const [totals] = totalsOf([item], { shares }).lines
  if (!totals) throw new Error('there is one line')
  const { discounts, ...prices } = displayLine(totals, dollar)
  expect(Object.entries(discounts ?? {})).toEqual([
    [
      'SALE',
      {
        ...usd(-5000, '-$50.00'),
        constituents: { one: usd(-2000, '-$20.00'), two: usd(-3000, '-$30.00') },
      },
    ],
    ['__proto__', { ...usd(-500, '-$5.00'), constituents: { three: usd(-500, '-$5.00') } }],
  ])
  expect(prices.with_tax).toEqual({ unit: usd(7250, '$72.50'), value: usd(14_500, '$145.00') })
  expect(prices.discount).toEqual({ unit: usd(-2750, '-$27.50'), value: usd(-5500, '-$55.00') })
  const [plain] = totalsOf([line(1, 1)]).lines
  expect(plain && displayLine(plain, dollar)).not.toHaveProperty('discounts')
})

test('a cart shows all seven totals', () => {
  const nothing = usd(0, '$0.00')
  expect(displayCart(totalsOf([line(1250, 1)]), dollar)).toEqual({
    with_tax: usd(1250, '$12.50'),
    without_tax: usd(1250, '$12.50'),
    tax: nothing,
    discount: nothing,
    without_discount: usd(1250, '$12.50'),
    shipping: nothing,
    shipping_discount: nothing,
  })
})

test('the item of a promotion shows what it takes, and 0 without a currency before discounts', () => {
  const [taken, nothing] = [usd(-1000, '-$10.00'), usd(0, '$0.00')]
  expect(displayPromotionItem(-1000, dollar)).toEqual({
    with_tax: { unit: taken, value: taken },
    without_tax: { unit: taken, value: taken },
    tax: { unit: nothing, value: nothing },
    discount: { unit: nothing, value: nothing },
    without_discount: {
      unit: { amount: 0, currency: '', formatted: '0' },
      value: { amount: 0, currency: '', formatted: '0' },
    },
  })
})

test('a shipping group shows its parts, its total before the discount, and the discount', () => {
  const shippingGroups = [{ id: 'a', base: 500, tax: 100, fees: 100 }]
  const shippingShares = [{ groupId: 'a', amount: -250, cause: cause('half') }]
  const [group] = totalsOf([line(1, 1)], { shippingGroups, shippingShares }).shippingGroups
  expect(group && displayShipping(group, dollar)).toEqual({
    total: usd(700, '$7.00'),
    base: usd(500, '$5.00'),
    tax: usd(100, '$1.00'),
    fees: usd(100, '$1.00'),
    discount: usd(-250, '-$2.50'),
  })
})
