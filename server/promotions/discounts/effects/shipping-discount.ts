import type { Ratio } from '../../../prices/index.ts'
import { product, roundToAmount } from '../exact.ts'
import { type Effect, taking } from './effect.ts'

type ShippingCut =
  | { readonly by: 'fixed' | 'fixed_price'; readonly amount: number }
  | { readonly by: 'percent'; readonly rate: Ratio }

interface ShippingDiscount {
  readonly cut: ShippingCut
  /** Undefined: any. */
  readonly shippingTypes: ReadonlySet<unknown> | undefined
  readonly ceilingIn: Effect['ceilingIn']
}

/** Takes something off the base price of each shipping group. */
export const shippingDiscount = ({ cut, shippingTypes, ceilingIn }: ShippingDiscount): Effect => ({
  isOfCart: false,
  ceilingIn,
  apply({ cart, usesLeft, code }) {
    const groups = cart.groups.filter(({ group }) => shippingTypes?.has(group.shippingType) ?? true)
    if (!groups.length) return { verdict: 'no_line_matches' }
    if (code && usesLeft < 1) return { verdict: 'code_spent', code: code.code, needs: 1, has: usesLeft }
    const shipping = groups.map((group) => ({ group, amount: Math.min(group.left, cutOf(cut, group.left)) }))
    if (groups.every(({ left }) => left === 0)) return { verdict: 'nothing_left' }
    if (shipping.every(({ amount }) => amount === 0)) return { verdict: 'no_saving' }
    return taking([], 1, { shipping })
  },
})

function cutOf(cut: ShippingCut, base: number): number {
  if (cut.by === 'fixed') return cut.amount
  return cut.by === 'percent' ? roundToAmount(product(base, cut.rate)) : Math.max(0, base - cut.amount)
}
