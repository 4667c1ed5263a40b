import { sum } from '../../prices/index.ts'
import type { Share } from '../../promotions/index.ts'
import type { CartPromotion } from './cart-totals.ts'

/**
 * What each promotion takes off the cart as a whole: the sum of its shares. A custom discount of the cart is not a
 * promotion, and one that takes nothing is not in the cart.
 */
export function cartPromotions(shares: readonly Share[]): readonly CartPromotion[] {
  const ofCart = inOrder(shares).filter(({ cause, isOfCart }) => isOfCart && cause.source !== 'custom')
  const byCause = Map.groupBy(ofCart, ({ cause }) => `${cause.source} ${cause.id}`)
  return [...byCause.values()].flatMap((own) => {
    const amount = sum(own.map((share) => share.amount))
    return own[0] && amount < 0 ? [{ cause: own[0].cause, amount }] : []
  })
}

/** The simple method: each promotion stops at what the ones before it have left of the price without tax. */
export function stopAtUntaxed(
  untaxed: number,
  promotions: readonly CartPromotion[],
): readonly CartPromotion[] {
  let left = untaxed
  return promotions.flatMap(({ cause, amount }) => {
    const taken = Math.min(-amount, left)
    left -= taken
    return taken > 0 ? [{ cause, amount: -taken }] : []
  })
}

export const inOrder = (shares: readonly Share[]): readonly Share[] =>
  shares.toSorted((a, b) => a.ordinal - b.ordinal)
