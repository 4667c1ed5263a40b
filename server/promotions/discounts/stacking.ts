import type { Promotion } from './promotion.ts'

type Stacking = Pick<Promotion, 'isStackable' | 'overridesStacking'>

/**
 * Whether two rule promotions may apply to one cart: both are stackable, or one overrides stacking and the other is not
 * stackable and does not override.
 */
export const mayStack = (one: Stacking, other: Stacking): boolean =>
  (one.isStackable && other.isStackable) || joins(one, other) || joins(other, one)

const joins = (joiner: Stacking, alone: Stacking): boolean =>
  joiner.overridesStacking && !alone.isStackable && !alone.overridesStacking
