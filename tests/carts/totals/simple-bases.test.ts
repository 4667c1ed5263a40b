import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CartValues } from '../../../server/carts/contents/cart-fields.ts'
import { type CartLine, emptyContents } from '../../../server/carts/contents/contents.ts'
import type { CartShop } from '../../../server/carts/pricing/cart-shop.ts'
import { discountCartOf } from '../../../server/carts/pricing/discount-cart-of.ts'
import type { TotalsLine } from '../../../server/carts/totals/totals-cart.ts'
import { fraction, nearest, sum, times, written } from '../../builders/prices/fractions.ts'
import { at, evaluateAtOnce, standard } from '../../builders/promotions/discounts.ts'
import { tries } from '../../support/long.ts'
import { anyLines } from './any-carts.ts'
import { slowTotals } from './oracle.ts'

/** With the simple method, a promotion of the cart is of the totals without tax. */

const shop = {
  ...{ method: 'simple', currency: { code: 'USD' }, at, shopper: {}, accountTags: [] },
} as unknown as CartShop

/** The line of a cart that costs what the line of the totals costs. */
const toCartLine = (line: TotalsLine): CartLine => ({
  ...{
    kind: 'cart_item',
    id: line.id,
    productId: line.id,
    addedAt: '',
    updatedAt: '',
    quantity: line.quantity,
  },
  ...{ name: '', description: '', sku: '', slug: '', image: undefined, isTracked: false, isForSale: true },
  unit: { amount: line.unitPrice, includesTax: line.includesTax },
  taxes: line.taxes as CartLine['taxes'],
  customDiscounts: [],
  facts: { catalogId: undefined, nodeIds: [], attributes: {} },
  components: Object.fromEntries(
    (line.components ?? []).map(({ id, quantity, unitPrice: amount, includesTax }) => [
      id,
      { name: id, options: [{ id, quantity, unit: { amount, includesTax } }] },
    ]),
  ),
  componentTaxes: Object.fromEntries(
    (line.components ?? []).map(({ id, taxes }) => [id, taxes as CartLine['taxes']]),
  ),
})

const takenOf = (lines: readonly TotalsLine[], percentage: number): number => {
  const cart = discountCartOf({} as CartValues, { ...emptyContents, lines: lines.map(toCartLine) }, shop)
  const promotion = standard('percent_discount', { currencies: [{ currency: 'USD', percentage }] })
  return evaluateAtOnce(cart, [promotion], []).shares.reduce((all, { amount }) => all - amount, 0)
}

const untaxedOf = (lines: readonly TotalsLine[]): bigint => {
  const discounts = { source: 'promotions', shares: [], shippingShares: [] } as const
  const totals = slowTotals({ method: 'simple', lines, discounts, shippingGroups: [] })
  return sum(totals.lines.map((line) => BigInt(line.without_tax?.value ?? 0)))
}

test('a percentage is of the total without tax, and not of rounded units', () => {
  const line = {
    id: 'a',
    unitPrice: 1000,
    quantity: 3,
    includesTax: true,
    taxes: [{ id: 'tax', amount: 100 }],
  }
  expect(takenOf([line], 50)).toBe(1450)
})

test('of any cart, it is of what the slow oracle says the lines cost without tax', () => {
  fc.assert(
    fc.property(anyLines, fc.constantFrom(1, 12.5, 33.333333, 50, 100), (lines, percentage) => {
      const exact = times(fraction(untaxedOf(lines), 100n), written(percentage))
      expect(takenOf(lines, percentage)).toBe(Number(nearest(exact)))
    }),
    { numRuns: tries(500, 10_000) },
  )
})
