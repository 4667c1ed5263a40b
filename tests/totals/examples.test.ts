import { expect, test } from 'vitest'
import type { Share } from '../../server/discounts/index.ts'
import { type TotalsCart, type TotalsLine, totalCart } from '../../server/totals/index.ts'

/** The worked examples of docs/money.md. */

let counter = 0
const line = (unitPrice: number, quantity: number, more: Partial<TotalsLine> = {}): TotalsLine => ({
  id: `line ${++counter}`,
  unitPrice,
  quantity,
  includesTax: false,
  taxes: [],
  ...more,
})
const rates = (...all: number[]) => all.map((rate, i) => ({ id: `tax ${i}`, rate }))
const cause = (id: string) => ({ source: 'standard', id, name: id, code: `auto_${id}` }) as const
const share = ({ id }: TotalsLine, amount: number, ordinal: number, isOfCart = false): Share => ({
  lineId: id,
  amount,
  cause: cause(`promotion ${ordinal}`),
  isOfCart,
  ordinal,
})

const totalsOf = (
  lines: readonly TotalsLine[],
  {
    method = 'line',
    shares = [],
    shippingShares = [],
    shippingGroups = [],
  }: Partial<
    Pick<TotalsCart, 'method' | 'shippingGroups'> & {
      shares: readonly Share[]
      shippingShares: readonly { groupId: string; amount: number; cause: ReturnType<typeof cause> }[]
    }
  > = {},
) => totalCart({ method, lines, discounts: { source: 'promotions', shares, shippingShares }, shippingGroups })

const pricesOf = (...of: Parameters<typeof totalsOf>) => totalsOf(...of).prices

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
