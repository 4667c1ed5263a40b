import { apportion, sum } from '../../prices/index.ts'
import type { Share } from '../../promotions/index.ts'
import type { CustomDiscounts, TotalsDiscount } from './totals-cart.ts'

/**
 * What custom discounts take off the lines, whose values are given: first those of lines, then those of the cart in
 * proportion to what is left of each line. None takes more than is left.
 */
export function customShares(
  { ofLines, ofCart }: CustomDiscounts,
  values: ReadonlyMap<string, number>,
): Share[] {
  const left = new Map(values)
  const shares: Share[] = []
  const take = (
    discount: TotalsDiscount,
    ordinal: number,
    isOfCart: boolean,
    lineId: string,
    amount: number,
  ) => {
    const { id, name, code } = discount
    left.set(lineId, (left.get(lineId) ?? 0) + amount)
    shares.push({ lineId, amount, cause: { source: 'custom', id, name, code }, isOfCart, ordinal })
  }
  const stopped = ({ amount }: TotalsDiscount, rest: number) => 0 - Math.min(-amount, rest)
  for (const [index, discount] of ofLines.entries()) {
    take(discount, index + 1, false, discount.lineId, stopped(discount, left.get(discount.lineId) ?? 0))
  }
  for (const [index, discount] of ofCart.entries()) {
    const rests = [...left.values()]
    const amounts = apportion(stopped(discount, sum(rests)), rests)
    for (const [line, lineId] of [...left.keys()].entries()) {
      take(discount, ofLines.length + index + 1, true, lineId, amounts[line] ?? 0)
    }
  }
  return shares
}
