import type { PriceModifierType, StoredAmount } from '../pricebooks/stored-prices.ts'

/** The unit price in one currency, by quantity. */
export interface Ladder {
  readonly amount: number
  readonly includes_tax: boolean
  /** Sorted by quantity, each quantity once. */
  readonly tiers: readonly Rung[]
}

interface Rung {
  readonly name: string
  readonly minimum_quantity: number
  readonly amount: number
}

export function ladderOf({ amount, includes_tax = false, tiers }: StoredAmount): Ladder {
  if (!tiers) return { amount, includes_tax, tiers: [] }
  const rungs = Object.entries(tiers).map(
    ([name, tier]) => [tier.minimum_quantity, { ...tier, name }] as const,
  )
  return { amount, includes_tax, tiers: [...new Map(rungs).values()].sort(byQuantity) }
}

const byQuantity = (one: Rung, other: Rung): number => one.minimum_quantity - other.minimum_quantity

/** The rung for a quantity; undefined below the first. */
const rungAt = ({ tiers }: Ladder, quantity: number): Rung | undefined =>
  tiers.findLast(({ minimum_quantity }) => minimum_quantity <= quantity)

/** The unit price for a quantity. */
export const unitAmount = (ladder: Ladder, quantity: number): number =>
  rungAt(ladder, quantity)?.amount ?? ladder.amount

/** Applies a modifier to a ladder, at each quantity with the modifier's amount for it. No amount falls below zero. */
export function modifyLadder(ladder: Ladder, type: PriceModifierType, by: Ladder): Ladder {
  // The tiers come from the modifier too: those of the price would all have the same amount.
  if (type === 'price_equals') return by
  const sign = type === 'price_increment' ? 1 : -1
  const changed = (amount: number, change: number) => Math.max(0, amount + sign * change)
  const names = new Map(
    [...by.tiers, ...ladder.tiers].map(({ minimum_quantity, name }) => [minimum_quantity, name]),
  )
  return {
    amount: changed(ladder.amount, by.amount),
    includes_tax: ladder.includes_tax,
    tiers: [...names]
      .map(([minimum_quantity, name]) => ({
        ...{ name, minimum_quantity },
        amount: changed(unitAmount(ladder, minimum_quantity), unitAmount(by, minimum_quantity)),
      }))
      .sort(byQuantity),
  }
}
