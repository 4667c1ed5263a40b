import type { Work } from '../kernel/work/context.ts'
import { keepPlaces, moveStock, showLevels } from './move-stock.ts'
import { added } from './movements.ts'
import { stocks } from './stocks.ts'

/** So many of a product, from a location if one is named. */
export interface Portion {
  readonly productId: string
  readonly quantity: number
  readonly location?: string | undefined
}

/**
 * Sets portions of stock aside, all or none: in one statement, so that two buyers never get the same. A Problem (422)
 * says in `meta.ids` what there is too little of. What is not counted is always there.
 */
export const allocate = (work: Work, portions: readonly Portion[]): Promise<void> =>
  move(work, 'allocate', portions)

/** What was set aside may be sold again. */
export const deallocate = (work: Work, portions: readonly Portion[]): Promise<void> =>
  move(work, 'deallocate', portions)

/** What was set aside has left. */
export const ship = (work: Work, portions: readonly Portion[]): Promise<void> => move(work, 'ship', portions)

function move(
  work: Work,
  what: 'allocate' | 'deallocate' | 'ship',
  portions: readonly Portion[],
): Promise<void> {
  return work.transaction(async (work) => {
    const slugs = portions.flatMap(({ location }) => location ?? [])
    const places = await keepPlaces(work, [...new Set(slugs)])
    const counted = await work.store.lock(stocks, ...new Set(portions.map(({ productId }) => productId)))
    const movements = joined(portions.filter(({ productId }) => counted.has(productId))).map((portion) => ({
      productId: portion.productId,
      place: portion.location === undefined ? undefined : places.get(portion.location),
      adds: added[what](portion.quantity),
      asked: what === 'ship' ? ('decrement' as const) : what,
    }))
    if (!movements.length) return
    await moveStock(work, movements)
    await showLevels(work, [...counted])
  })
}

/** One portion for each product and location. */
function joined(portions: readonly Portion[]): readonly Portion[] {
  const all = Map.groupBy(portions, ({ productId, location }) =>
    JSON.stringify([productId, location ?? null]),
  )
  return [...all.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, quantity: same.reduce((sum, { quantity }) => sum + quantity, 0) }] : []
  })
}
