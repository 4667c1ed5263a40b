import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayCart } from '../../../server/carts/index.ts'
import { displayLine } from '../../../server/carts/totals/display-totals.ts'
import { totalCart } from '../../../server/carts/totals/total-cart.ts'
import type { TotalsCart } from '../../../server/carts/totals/totals-cart.ts'
import { AmountTooLarge } from '../../../server/prices/index.ts'
import { tries } from '../../support/long.ts'
import { anyCart, anyLines } from './any-carts.ts'
import { slowTotals } from './oracle.ts'

const many = { numRuns: tries(4000, 100_000) }
const usual = { numRuns: tries(1500, 20_000) }

const add = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)

test('any cart costs what the slow oracle says, in all parts and to the unit', () => {
  fc.assert(
    fc.property(anyCart, (cart) => {
      const { lines, cartPromotions, prices } = totalCart(cart)
      expect({
        lines: lines.map((line) => line.prices),
        taxes: lines.map(({ taxes }) => taxes.map(({ amount }) => amount)),
        cartPromotions: cartPromotions.map(({ cause, amount }) => ({ id: cause.id, amount })),
        prices,
      }).toEqual(slowTotals(cart))
    }),
    many,
  )
}, 600_000)

test('lines, causes and shipping add up to the cart', () => {
  fc.assert(
    fc.property(anyCart, (cart) => {
      const { lines, cartPromotions, shippingGroups, prices } = totalCart(cart)
      const ofLines = (name: keyof (typeof lines)[number]['prices']) =>
        add(lines.map((line) => line.prices[name].value))
      const ofCart = add(cartPromotions.map(({ amount }) => amount))
      const offTotal = cart.method === 'simple' ? ofCart : 0
      expect(prices.with_tax).toBe(prices.without_tax + prices.tax)
      expect(prices.with_tax).toBe(
        ofLines('with_tax') + offTotal + prices.shipping + prices.shipping_discount,
      )
      expect(prices.discount).toBe(ofLines('discount') + offTotal)
      expect(prices.tax).toBe(ofLines('tax'))
      expect(prices.shipping).toBe(
        add(shippingGroups.filter(({ isLinked }) => isLinked).map(({ total }) => total)),
      )
      for (const line of lines) {
        expect(line.prices.with_tax.value).toBe(line.prices.without_tax.value + line.prices.tax.value)
        expect(add(line.discounts.map(({ amount }) => amount))).toBe(line.prices.discount.value)
        expect(add(line.taxes.map(({ amount }) => amount))).toBe(line.prices.tax.value)
      }
      if (cart.method === 'simple') return
      const shares = lines.flatMap(({ discounts }) => discounts).filter(({ isOfCart }) => isOfCart)
      const ofPromotions = shares.filter(({ cause }) => cause.source !== 'custom')
      expect(ofCart).toBe(add(ofPromotions.map(({ amount }) => amount)))
    }),
    usual,
  )
})

test('no total has the wrong sign', () => {
  fc.assert(
    fc.property(anyCart, (cart) => {
      const { lines, prices } = totalCart(cart)
      const all = [...lines.map((line) => line.prices), prices]
      const values = (names: readonly string[]) =>
        all.flatMap((one) =>
          Object.entries(one)
            .filter(([name]) => names.includes(name))
            .map(([, value]) => (typeof value === 'number' ? value : value.value)),
        )
      const positive = values(['with_tax', 'without_tax', 'tax', 'without_discount', 'shipping'])
      expect(positive.filter((value) => value < 0)).toEqual([])
      expect(values(['discount', 'shipping_discount']).filter((value) => value > 0)).toEqual([])
    }),
    usual,
  )
})

test('a line that no promotion is for changes no other line', () => {
  fc.assert(
    fc.property(anyCart, anyLines, (cart, [extra]) => {
      if (cart.discounts.source === 'custom' || !extra) return
      const added = { ...extra, id: 'added' }
      const before = totalCart(cart)
      const after = totalCart({ ...cart, lines: [...cart.lines, added] })
      expect(after.lines.slice(0, -1)).toEqual(before.lines)
      const alone = { ...cart, lines: [added], discounts: { ...cart.discounts, shares: [] } }
      expect(after.lines.slice(-1)).toEqual(totalCart(alone).lines)
    }),
    usual,
  )
})

test('the totals depend on the cart alone, and leave it as it is', () => {
  fc.assert(
    fc.property(anyCart, (cart) => {
      const before = structuredClone(cart)
      const first = totalCart(cart)
      expect(totalCart(cart)).toEqual(first)
      expect(cart).toEqual(before)
    }),
    { numRuns: tries(300, 3000) },
  )
})

const currencies = [
  { code: 'JPY', format: '¥{price}', decimal_point: '.', thousand_separator: ',', decimal_places: 0 },
  { code: 'EUR', format: '{price} €', decimal_point: ',', thousand_separator: '.', decimal_places: 2 },
  { code: 'KWD', format: '{price} KD', decimal_point: '.', thousand_separator: '', decimal_places: 3 },
] as const

/** Reads a formatted amount back, in the smallest unit. */
const read = (formatted: string) => Number(formatted.replaceAll(/[^\d-]/g, ''))

test('any totals are displayed as what they are, in any currency', () => {
  fc.assert(
    fc.property(anyCart, fc.constantFrom(...currencies), (cart, currency) => {
      const totals = totalCart(cart)
      const shown = displayCart(totals, currency)
      for (const [name, value] of Object.entries(totals.prices)) {
        const { amount, formatted, ...rest } = shown[name as keyof typeof shown]
        expect([amount, read(formatted) + 0, rest]).toEqual([value, value, { currency: currency.code }])
      }
      for (const line of totals.lines) {
        const { discounts = {}, discount, ...others } = displayLine(line, currency)
        expect(add(Object.values(discounts).map(({ amount }) => amount))).toBe(discount.value.amount)
        for (const { amount, constituents } of Object.values(discounts)) {
          expect(add(Object.values(constituents).map((one) => one.amount))).toBe(amount)
        }
        for (const [name, { unit, value }] of Object.entries(others)) {
          const expected = line.prices[name as keyof typeof line.prices]
          expect({ unit: unit.amount, value: value.amount }).toEqual(expected)
        }
      }
    }),
    { numRuns: tries(300, 3000) },
  )
})

test('totals are exact up to the largest amount, and refused beyond it', () => {
  const huge = fc.record({
    unitPrice: fc.maxSafeNat(),
    quantity: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 10 ** 9 })),
    includesTax: fc.boolean(),
    taxes: fc.constantFrom([], [{ id: 'tax', rate: '0.333333' }], [{ id: 'tax', rate: 0 }]),
  })
  const hugeCart = fc.array(huge, { minLength: 1, maxLength: 2 }).map(
    (lines): TotalsCart => ({
      method: 'line',
      lines: lines.map((line, i) => ({ ...line, id: `line ${i}` })),
      discounts: { source: 'custom', ofLines: [], ofCart: [{ id: 'd', name: '', code: '', amount: -1 }] },
      shippingGroups: [],
    }),
  )
  fc.assert(
    fc.property(hugeCart, (cart) => {
      const expected = slowTotals(cart)
      const amounts = [expected.prices, ...expected.lines.flatMap((line) => Object.values(line))].flatMap(
        (one) => Object.values(one),
      )
      if (amounts.some((amount) => !Number.isSafeInteger(amount))) {
        expect(() => totalCart(cart)).toThrow(AmountTooLarge)
      } else expect(totalCart(cart).prices).toEqual(expected.prices)
    }),
    { numRuns: tries(500, 10_000) },
  )
})
