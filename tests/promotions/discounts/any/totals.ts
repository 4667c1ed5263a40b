import fc from 'fast-check'
import type { TotalsCart } from '../../../../server/carts/totals/totals-cart.ts'
import type { DiscountCart, Evaluation } from '../../../../server/promotions/index.ts'

/** What the totals of a cart need beside its discounts: taxes and shipping. */

const rate = fc.constantFrom(0, 0.05, 0.1, 0.2, '0.08875')
const tax = fc.oneof(fc.record({ rate }), fc.record({ amount: fc.nat(300) }))

export const anyPrices = fc.record({
  taxes: fc.array(fc.array(tax, { maxLength: 2 }), { minLength: 6, maxLength: 6 }),
  includesTax: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  fees: fc.nat(300),
})

type Prices = typeof anyPrices extends fc.Arbitrary<infer P> ? P : never

/** A cart whose first lines can be linked to its shipping groups. */
export const linked = (cart: DiscountCart): DiscountCart => ({
  ...cart,
  shippingGroups: cart.shippingGroups.slice(0, cart.lines.length),
})

export function toTotalsCart(cart: DiscountCart, evaluation: Evaluation, prices: Prices): TotalsCart {
  const { shares, shippingShares } = evaluation
  return {
    method: cart.calculationMethod,
    lines: cart.lines.map(({ id, unitPrice, quantity }, i) => ({
      ...{ id, unitPrice, quantity },
      includesTax: prices.includesTax[i] === true,
      taxes: (prices.taxes[i] ?? []).map((tax, k) => ({ id: `tax ${k}`, ...tax })),
      shippingGroupId: cart.shippingGroups[i]?.id,
    })),
    discounts: { source: 'promotions', shares, shippingShares },
    shippingGroups: cart.shippingGroups.map(({ id, base }) => ({ id, base, tax: 0, fees: prices.fees })),
  }
}
