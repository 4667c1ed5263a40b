import { lanes, type Promotion } from './promotion.ts'

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
