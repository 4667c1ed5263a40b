import { sum } from '../../prices/index.ts'
import type { ShippingTotals } from './cart-totals.ts'
import type { TotalsCart } from './totals-cart.ts'

/** The totals of each shipping group. A discount is of the base price only. */
export function shippingTotals({ lines, shippingGroups, discounts }: TotalsCart): readonly ShippingTotals[] {
  const linked = new Set(lines.map(({ shippingGroupId }) => shippingGroupId))
  const shares = discounts.source === 'promotions' ? discounts.shippingShares : []
  return shippingGroups.map((group) => {
    const { id, base, tax, fees } = group
    const discount = sum(shares.filter(({ groupId }) => groupId === id).map(({ amount }) => amount))
    if (discount > 0 || -discount > base)
      throw new Error(`${discount} cannot be taken off ${base} for shipping`)
    return { id, base, tax, fees, total: sum([base, tax, fees]), discount, isLinked: linked.has(id) }
  })
}
