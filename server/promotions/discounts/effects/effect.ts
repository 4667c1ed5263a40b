import { cutTo, sum } from '../../../prices/index.ts'
import type { EnteredCode } from '../codes.ts'
import type { Finding } from '../conditions/condition.ts'
import type { MissingGift, PromotionRefusal } from '../verdicts.ts'
import type { WorkingCart, WorkingGroup, WorkingLine } from '../working-cart.ts'

/** What a promotion does to a cart that meets its condition. */
export interface Effect {
  /** Whether its discounts are parts of a discount of the whole cart. */
  readonly isOfCart: boolean
  /** The most that it takes off, in a currency. */
  readonly ceilingIn: (currency: string) => number | undefined
  readonly apply: (view: EffectView) => Taking | PromotionRefusal
}

/** What an effect may look at. */
export interface EffectView {
  readonly cart: WorkingCart
  /** The lines that take part in the promotion. */
  readonly lines: readonly WorkingLine[]
  /** What the condition of the promotion found. */
  readonly finding: Finding & { readonly isMet: true }
  /** Undefined for automatic promotions. */
  readonly code: EnteredCode | undefined
  /** How many units, bundles or carts the code still pays for. */
  readonly usesLeft: number
}

/** What an effect takes from a cart. */
export interface Taking {
  readonly offs: readonly Off[]
  readonly shipping: readonly ShippingOff[]
  /** How many units, bundles or carts are discounted. */
  readonly uses: number
  readonly missing: MissingGifts | undefined
  /** Why it takes nothing, where the amounts are 0. */
  readonly otherwise: PromotionRefusal
}

/** What is taken off one line. */
export interface Off {
  readonly line: WorkingLine
  /** At least 0. */
  readonly amount: number
  /** Units that no other item-level promotion gets, or units that promotions added. */
  readonly units: number
  /** Whether they are units that promotions added. */
  readonly isAdded: boolean
}

interface ShippingOff {
  readonly group: WorkingGroup
  readonly amount: number
}

/** Gifts that the cart has too few of. */
export interface MissingGifts {
  readonly gifts: readonly MissingGift[]
  /** Whether they are added without being asked for. */
  readonly isAutoAdd: boolean
  /** Whether they are free as soon as they are in the cart. */
  readonly isFree: boolean
  /** What each set of gifts comes with. */
  readonly requirements: readonly { readonly products: readonly string[]; readonly quantity: number }[]
}

export const isTaking = (one: Taking | PromotionRefusal): one is Taking => !('verdict' in one)

export const off = (line: WorkingLine, amount: number, units = 0): Off => ({
  ...{ line, amount, units, isAdded: false },
})

export const taking = (offs: readonly Off[], uses: number, others: Partial<Taking> = {}): Taking => ({
  ...{ offs, uses, shipping: [], missing: undefined, otherwise: { verdict: 'no_saving' } },
  ...others,
})

/** An amount, or the ceiling where that is less. */
export const stopAt = (ceiling: number | undefined, amount: number): number =>
  ceiling === undefined ? amount : Math.min(ceiling, amount)

/**
 * Cuts what an effect takes to its ceiling, each line in proportion and of equal ones the first the least. What an
 * effect divides among lines itself has stopped at the ceiling before.
 */
export function cutTaking(taken: Taking, ceiling: number | undefined): Taking {
  if (ceiling === undefined) return taken
  const inOrder = taken.offs.toSorted((one, other) => one.line.position - other.line.position)
  const offs = cutTo(
    ceiling,
    inOrder.map(({ amount }) => amount),
  )
  const left = ceiling - sum(offs)
  const shipping = cutTo(
    left,
    taken.shipping.map(({ amount }) => amount),
  )
  return {
    ...taken,
    offs: inOrder.map((one, index) => ({ ...one, amount: offs[index] ?? 0 })),
    shipping: taken.shipping.map((one, index) => ({ ...one, amount: shipping[index] ?? 0 })),
  }
}
