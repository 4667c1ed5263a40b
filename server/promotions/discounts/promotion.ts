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
const lanes = ['item', 'cart', 'rule'] as const

/** `item` and `cart` are standard promotions. */
type Lane = (typeof lanes)[number]

/**
 * Sorts promotions into the order in which they apply: item-level ones, then those of the cart, each oldest first; then
 * rule promotions by priority, and last those without one, newest first.
 */
export const inOrder = (promotions: readonly Promotion[]): readonly Promotion[] =>
  promotions.toSorted((one, other) => {
    const lane = lanes.indexOf(one.lane) - lanes.indexOf(other.lane)
    if (lane) return lane
    const age = one.createdAtMs - other.createdAtMs
    if (one.lane !== 'rule') return age || byId(one, other)
    const priority = comparePriorities(one.priority, other.priority)
    return priority || -age || byId(one, other)
  })

function comparePriorities(one: number | undefined, other: number | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return other - one
}

const byId = (one: Promotion, other: Promotion): number =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0

type Stacking = Pick<Promotion, 'isStackable' | 'overridesStacking'>

/**
 * Whether two rule promotions may apply to one cart: both are stackable, or one overrides stacking and the other is not
 * stackable and does not override.
 */
export const mayStack = (one: Stacking, other: Stacking): boolean =>
  (one.isStackable && other.isStackable) || joins(one, other) || joins(other, one)

const joins = (joiner: Stacking, alone: Stacking): boolean =>
  joiner.overridesStacking && !alone.isStackable && !alone.overridesStacking
