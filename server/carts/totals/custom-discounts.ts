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
  const restOf = (lineId: string): number => {
    const rest = left.get(lineId)
    if (rest === undefined) throw new Error(`there is no line ${lineId} to take a discount off`)
    return rest
  }
  const shares: Share[] = []
  const take = (
    discount: TotalsDiscount,
    ordinal: number,
    isOfCart: boolean,
    lineId: string,
    amount: number,
  ) => {
    const { id, name, code } = discount
    left.set(lineId, restOf(lineId) + amount)
    shares.push({ lineId, amount, cause: { source: 'custom', id, name, code }, isOfCart, ordinal })
  }
  const stopped = ({ amount }: TotalsDiscount, rest: number) => 0 - Math.min(-amount, rest)
  for (const [index, discount] of ofLines.entries()) {
    take(discount, index + 1, false, discount.lineId, stopped(discount, restOf(discount.lineId)))
  }
  for (const [index, discount] of ofCart.entries()) {
    const [lineIds, rests] = [[...left.keys()], [...left.values()]]
    for (const [line, amount] of apportion(stopped(discount, sum(rests)), rests).entries()) {
      take(discount, ofLines.length + index + 1, true, lineIds[line] as string, amount)
    }
  }
  return shares
}
