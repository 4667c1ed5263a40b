import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TotalsCart, totalCart } from '../../server/totals/index.ts'
import { tries } from '../support/long.ts'
import { slowTotals } from './oracle.ts'

const amount = fc.integer({ min: 0, max: 1_000_000 })
const discount = fc.record({ id: fc.uuid(), amount: fc.integer({ min: -2_000_000, max: -1 }) })
const tax = fc.oneof(
  fc.record({ id: fc.uuid(), rate: fc.integer({ min: 0, max: 3000 }).map((n) => n / 10_000) }),
  fc.record({ id: fc.uuid(), amount }),
)

const carts: fc.Arbitrary<TotalsCart> = fc
  .array(
    fc.record({
      unitPrice: amount,
      quantity: fc.integer({ min: 1, max: 1000 }),
      includesTax: fc.boolean(),
      taxes: fc.array(tax, { maxLength: 5 }),
      shippingGroupId: fc.constantFrom(undefined, 'a', 'b'),
      discounts: fc.array(discount, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .chain((lines) =>
    fc
      .record({ ofCart: fc.array(discount, { maxLength: 3 }), base: amount, tax: amount, fees: amount })
      .map(({ ofCart, ...price }) => ({
        method: 'line' as const,
        lines: lines.map(({ discounts: _, ...line }, i) => ({ ...line, id: `line ${i}` })),
        discounts: {
          source: 'custom' as const,
          ofLines: lines.flatMap(({ discounts }, i) =>
            discounts.map((one) => ({ ...one, name: '', code: '', lineId: `line ${i}` })),
          ),
          ofCart: ofCart.map((one) => ({ ...one, name: '', code: '' })),
        },
        shippingGroups: ['a', 'b', 'c'].map((id) => ({ id, ...price })),
      })),
  )

test('totals are equal to those of the slow oracle, to the unit', () => {
  fc.assert(
    fc.property(carts, (cart) => {
      expect(totalCart(cart).prices).toEqual(slowTotals(cart))
    }),
    { numRuns: tries(3000, 100_000) },
  )
})

test('lines add up to the cart, and nothing is negative', () => {
  fc.assert(
    fc.property(carts, (cart) => {
      const { lines, prices } = totalCart(cart)
      const sum = (name: 'with_tax' | 'discount' | 'tax') =>
        lines.reduce((total, line) => total + line.prices[name].value, 0)
      expect(sum('with_tax') + prices.shipping).toBe(prices.with_tax)
      expect([sum('discount'), sum('tax')]).toEqual([prices.discount, prices.tax])
      expect(prices.with_tax).toBe(prices.without_tax + prices.tax)
      for (const { prices: one, discounts } of lines) {
        for (const name of ['with_tax', 'without_tax', 'tax', 'without_discount'] as const) {
          expect(one[name].value).toBeGreaterThanOrEqual(0)
        }
        expect(discounts.reduce((total, { amount }) => total + amount, 0)).toBe(one.discount.value)
      }
    }),
    { numRuns: tries(1000, 100_000) },
  )
})
