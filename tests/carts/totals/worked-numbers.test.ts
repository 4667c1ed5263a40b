import { expect, test } from 'vitest'
import { totalCart } from '../../../server/carts/totals/total-cart.ts'
import { apportion, cutTo, multiply, percent } from '../../../server/prices/index.ts'
import { cause, line, pricesOf, rates, share, totalsOf } from './sample-lines.ts'

/** The numbers of docs/money.md, in its order. */

test('amounts: percentages, shares and ceilings', () => {
  expect(multiply(999, percent('33.333333'))).toBe(333)
  expect(apportion(200, [450, 450, 450])).toEqual([67, 67, 66])
  expect(apportion(700, [1900, 900])).toEqual([475, 225])
  expect(apportion(100, [1, 0, 5])).toEqual([17, 0, 83])
  expect(cutTo(800, [840, 315])).toEqual([582, 218])
})

test('values: units times quantity', () => {
  expect(totalsOf([line(145, 7)]).lines[0]?.value).toBe(1015)
})

test('discounts: percentages, limits and custom discounts', () => {
  expect(multiply(3 * 645, percent(12.5))).toBe(242)
  const discount = { name: '', code: '' }
  const lines = [line(2400, 1), line(900, 1)] as const
  const custom = (...amounts: readonly [ofLine: number, ofCart: number]) =>
    totalCart({
      method: 'line',
      lines,
      discounts: {
        source: 'custom',
        ofLines: [{ ...discount, id: 'line', lineId: lines[0].id, amount: amounts[0] }],
        ofCart: [{ ...discount, id: 'cart', amount: amounts[1] }],
      },
      shippingGroups: [],
    })
  const { lines: both } = custom(-500, -700)
  expect(both.map(({ discounts }) => discounts.map(({ amount }) => amount))).toEqual([[-500, -475], [-225]])
  expect(both.map(({ prices }) => prices.with_tax.value)).toEqual([1425, 675])
  // Both stop at what is left.
  expect(custom(-9000, -9000).prices).toMatchObject({ with_tax: 0, discount: -3300 })
})

test('taxes: rates on top, and rates included', () => {
  const onTop = totalsOf([line(219, 5, { taxes: rates(0.04, 0.025) })])
  expect(onTop.lines[0]?.taxes).toEqual([
    { id: 'tax 0', base: 1095, amount: 44 },
    { id: 'tax 1', base: 1095, amount: 27 },
  ])
  expect(onTop.prices).toMatchObject({ tax: 71, with_tax: 1166 })
  const included = line(875, 4, { includesTax: true, taxes: rates(0.19) })
  expect(pricesOf([included])).toMatchObject({ with_tax: 3500, without_tax: 2941, tax: 559 })
  const [several] = totalsOf([line(999, 1, { includesTax: true, taxes: rates(0.1, 0.05) })]).lines
  expect(several?.taxes.map(({ amount }) => amount)).toEqual([87, 43])
})

test('taxes: amounts', () => {
  const taxes = (amount: number) => [{ id: 'amount', amount }]
  expect(pricesOf([line(120, 6, { taxes: taxes(90) })]).with_tax).toBe(810)
  const both = line(1310, 1, { includesTax: true, taxes: [...rates(0.2), ...taxes(110)] })
  expect(totalsOf([both]).lines[0]?.taxes).toEqual([
    { id: 'tax 0', base: 1200, amount: 200 },
    { id: 'amount', amount: 110 },
  ])
  const small = line(80, 1, { includesTax: true, taxes: taxes(110) })
  expect(pricesOf([small])).toMatchObject({ tax: 80, with_tax: 80, without_tax: 0 })
})

test('taxes: components of a bundle', () => {
  const cups = { id: 'cups', unitPrice: 300, quantity: 4, includesTax: false, taxes: rates(0.1) }
  const onTop = totalsOf([line(5000, 2, { components: [cups] })])
  expect(onTop.prices).toMatchObject({ tax: 240, with_tax: 10_240, without_tax: 10_000 })
  expect(onTop.lines[0]?.taxes).toEqual([{ id: 'tax 0', componentId: 'cups', base: 2400, amount: 240 }])
  const included = line(5000, 2, { includesTax: true, components: [cups] })
  expect(pricesOf([included])).toMatchObject({ tax: 240, with_tax: 10_000, without_tax: 9760 })
})

test('the simple method', () => {
  const method = 'simple'
  const item = line(219, 5, { taxes: rates(0.075) })
  expect([pricesOf([item], { method }).tax, pricesOf([item]).tax]).toEqual([80, 82])
  const included = line(875, 4, { includesTax: true, taxes: rates(0.19) })
  expect(pricesOf([included], { method })).toMatchObject({ with_tax: 3500, tax: 560 })
  const off = totalsOf([item], { method, shares: [share(item, -300, 1, true)] })
  expect(off.prices).toMatchObject({ without_tax: 795, tax: 80, with_tax: 875, discount: -300 })
  expect(off.lines[0]).toMatchObject({ discounts: [], prices: { discount: { value: 0 } } })
  const withTax = line(219, 5, { includesTax: true, taxes: rates(0.075) })
  expect(pricesOf([item], { method, shares: [share(item, -5000, 1, true)] })).toMatchObject({
    ...{ without_tax: 0, with_tax: 80, discount: -1095 },
  })
  expect(pricesOf([withTax], { method, shares: [share(withTax, -1095, 1, true)] }).without_tax).toBe(0)
})

test('shipping with a discount', () => {
  const lines = [line(8000, 1, { shippingGroupId: 'post' }), line(0, 1, { shippingGroupId: 'post' })]
  const shippingGroups = [{ id: 'post', base: 1200, tax: 228, fees: 50 }]
  const shippingShares = [{ groupId: 'post', amount: -600, cause: cause('half', 'rule') }]
  expect(pricesOf(lines, { shippingGroups, shippingShares })).toEqual({
    ...{ with_tax: 8878, without_tax: 8878, tax: 0, discount: 0, without_discount: 9478 },
    ...{ shipping: 1478, shipping_discount: -600 },
  })
})

test('a whole cart', () => {
  const first = line(1450, 2, { taxes: rates(0.2) })
  const second = line(890, 1, { includesTax: true, taxes: rates(0.1) })
  const shares = [share(first, -290, 1), share(first, -261, 2, true), share(second, -89, 2, true)]
  const { lines, cartPromotions, prices } = totalsOf([first, second], { shares })
  expect(lines.map((one) => Object.values(one.prices).map(({ value }) => value))).toEqual([
    [2819, 2349, 470, -551, 2900],
    [801, 728, 73, -89, 890],
  ])
  expect(cartPromotions).toEqual([{ cause: cause('promotion 2'), amount: -350 }])
  expect(prices).toMatchObject({ with_tax: 3620, without_tax: 3077, tax: 543, discount: -640 })
  expect(prices.without_discount).toBe(3790)
})
