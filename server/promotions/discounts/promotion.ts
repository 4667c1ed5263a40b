import type { Condition } from './conditions/condition.ts'
import type { DiscountLine } from './discount-cart.ts'
import type { Effect } from './effects/effect.ts'

/**
 * A promotion as the evaluator knows it: standard promotions and rule promotions are compiled to this form. It holds no
 * state, so any number of evaluations can share it.
 */
export interface Promotion {
  readonly id: string
  readonly name: string
  readonly lane: Lane
  readonly createdAtMs: number
  /** Higher ones apply first, those without one last. */
  readonly priority?: number | undefined
  readonly isEnabled: boolean
  /** Whether it applies without a code. */
  readonly isAutomatic: boolean
  readonly startsAtMs: number
  /** Not included. */
  readonly endsAtMs: number
  /** Whether it applies to carts with the simple calculation method. */
  readonly worksWithSimple: boolean
  /** Undefined: any. */
  readonly currencies: ReadonlySet<string> | undefined
  /** What a cart must cost before discounts, by currency. */
  readonly minimums: ReadonlyMap<string, number>
  /** Whether the promotion looks at a line at all. */
  readonly takesPart: (line: DiscountLine) => boolean
  readonly condition: Condition
  readonly effects: readonly Effect[]
  readonly isStackable: boolean
  readonly overridesStacking: boolean
}

/** Promotions apply lane by lane, in this order. */
export const lanes = ['item', 'cart', 'rule'] as const

/** `item` and `cart` are standard promotions. */
type Lane = (typeof lanes)[number]
