import type { Work } from '../kernel/work/context.ts'
import { lockPlaces, moveStock, showLevels } from './move-stock.ts'
import { changeBy } from './movements.ts'
import { stocks } from './stocks.ts'

/** A quantity of a product in a location. Without a location, it is in the stock outside of all locations. */
export interface Portion {
  readonly productId: string
  readonly quantity: number
  readonly location?: string | undefined
}

/**
 * Allocates all portions or none, in one statement, so that two buyers never get the same stock. The Problem (422) for
 * a shortage names the products in `meta.ids`. Products whose stock is not tracked are skipped.
 */
export const allocate = (work: Work, portions: readonly Portion[]): Promise<void> =>
  move(work, 'allocate', portions)

/** Makes allocated stock available again. */
export const deallocate = (work: Work, portions: readonly Portion[]): Promise<void> =>
  move(work, 'deallocate', portions)

/** Removes allocated stock that has been shipped. */
export const ship = (work: Work, portions: readonly Portion[]): Promise<void> => move(work, 'ship', portions)

function move(
  work: Work,
  what: 'allocate' | 'deallocate' | 'ship',
  portions: readonly Portion[],
): Promise<void> {
  return work.transaction(async (work) => {
    const slugs = portions.flatMap(({ location }) => location ?? [])
    const places = await lockPlaces(work, [...new Set(slugs)])
    const counted = await work.store.lock(stocks, ...new Set(portions.map(({ productId }) => productId)))
    const movements = joined(portions.filter(({ productId }) => counted.has(productId))).map((portion) => ({
      productId: portion.productId,
      place: portion.location === undefined ? undefined : places.get(portion.location),
      adds: changeBy[what](portion.quantity),
      action: what === 'ship' ? ('decrement' as const) : what,
    }))
    if (!movements.length) return
    await moveStock(work, movements)
    await showLevels(work, [...counted])
  })
}

/** Adds up portions of the same product and location. */
function joined(portions: readonly Portion[]): readonly Portion[] {
  const all = Map.groupBy(portions, ({ productId, location }) =>
    JSON.stringify([productId, location ?? null]),
  )
  return [...all.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, quantity: same.reduce((sum, { quantity }) => sum + quantity, 0) }] : []
  })
}
