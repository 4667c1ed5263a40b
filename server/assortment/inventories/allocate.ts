import type { Work } from '../../kernel/work/context.ts'
import { lockPlaces, type Movement, moveStock, type StockPlace, shortage, showLevels } from './move-stock.ts'
import { changeBy } from './movements.ts'
import { stocks } from './stocks.ts'

/** A quantity of a product in a location. Without a location, it is in the stock outside of all locations. */
export interface Portion {
  readonly productId: string
  readonly quantity: number
  readonly location?: string | undefined
}

/** Stock that is about to be allocated. */
interface Allocation {
  /** Where it is taken from. */
  readonly portions: readonly Portion[]
  /**
   * Takes it with the next statement, or with COMMIT, unless it was already taken. Other buyers of the products wait
   * from then on until the transaction ends.
   */
  readonly take: () => Promise<void>
}

/** The products for whose stock other buyers wait. */
export const crowdedStocks = ({ store }: Work): readonly string[] => store.crowdedRows(stocks)

/** Where other buyers wait for the stock of these products, the transaction begins again when its turn has come. */
export function awaitStock(work: Work, productIds: readonly string[]): void {
  const crowded = new Set(crowdedStocks(work))
  work.store.enterLocks(
    stocks,
    productIds.filter((id) => crowded.has(id)),
  )
}

/**
 * Allocates all portions or none, so that two buyers never get the same stock. A portion without a location is taken
 * from the stock outside of all locations first, and then from the locations that have most. The Problem (422) for a
 * shortage, `short`, names the products in `meta.ids`. Products whose stock is not counted are skipped. Needs a
 * transaction, whose last step should be `take`.
 */
export async function allocate(
  work: Work,
  portions: readonly Portion[],
  short = shortage,
): Promise<Allocation> {
  const { ids, slugs } = await findCounted(work, unique(portions.map(({ productId }) => productId)))
  // Where too many want the same stock, the transaction begins again: better before it has written much.
  work.store.enterLocks(stocks, [...ids])
  const counted = joined(portions.filter(({ productId }) => ids.has(productId)))
  const places = unique([...slugs, ...slugsOf(counted)])
  // There is nothing to choose: the statement that takes the stock also sees whether it is there.
  if (!places.length)
    return { portions: counted, take: () => move(work, 'allocate', counted, new Map(), short) }
  return { portions: await allocateAtPlaces(work, portions, places, short), take: async () => {} }
}

async function allocateAtPlaces(
  work: Work,
  portions: readonly Portion[],
  slugs: readonly string[],
  short: typeof shortage,
): Promise<readonly Portion[]> {
  const places = await lockPlaces(work, slugs)
  const counted = await lockCounted(work, portions)
  const taken = await choosePlaces(work, joined(counted), [...places.values()], short)
  await move(work, 'allocate', taken, places, short)
  return taken
}

/** Makes allocated stock available again. */
export const deallocate = (work: Work, portions: readonly Portion[]): Promise<void> =>
  release(work, 'deallocate', portions)

/** Removes allocated stock that has been shipped. */
export const ship = (work: Work, portions: readonly Portion[]): Promise<void> =>
  release(work, 'ship', portions)

/** A location that is gone has no stock to release. */
const release = (work: Work, what: 'deallocate' | 'ship', portions: readonly Portion[]): Promise<void> =>
  work.transaction(async (work) => {
    const places = await lockPlaces(work, await findExisting(work, slugsOf(portions)))
    const counted = await lockCounted(work, portions)
    const left = counted.filter(({ location }) => location === undefined || places.has(location))
    await move(work, what, joined(left), places)
  })

const unique = (texts: readonly string[]) => [...new Set(texts)]
const slugsOf = (portions: readonly Portion[]) => unique(portions.flatMap(({ location }) => location ?? []))

async function findExisting({ store }: Work, slugs: readonly string[]): Promise<readonly string[]> {
  if (!slugs.length) return []
  const rows = await store.run(
    'SELECT slug FROM inventory_locations WHERE store_id = $1 AND slug = ANY($2::text[])',
    slugs,
  )
  return rows.map(([slug]) => slug as string)
}

/** Which of the products have stock that is counted, and the locations where some of it is available. */
async function findCounted({ store }: Work, productIds: readonly string[]) {
  const rows = productIds.length
    ? await store.run(
        `SELECT DISTINCT s.id, i.slug FROM stocks s
         LEFT JOIN stock_levels l ON l.store_id = s.store_id AND l.stock_id = s.id AND l.available > 0
         LEFT JOIN inventory_locations i ON i.store_id = l.store_id AND i.id = l.location_id
         WHERE s.store_id = $1 AND s.id = ANY($2::uuid[])`,
        productIds,
      )
    : []
  return {
    ids: new Set(rows.map(([id]) => id as string)),
    slugs: unique(rows.flatMap(([, slug]) => slug ?? [])),
  }
}

/** Locks the stocks, and leaves out products without one. */
async function lockCounted({ store }: Work, portions: readonly Portion[]): Promise<readonly Portion[]> {
  const counted = await store.lock(stocks, ...unique(portions.map(({ productId }) => productId)))
  return portions.filter(({ productId }) => counted.has(productId))
}

/** Says for each portion where it is taken from; portions with a location come first. */
async function choosePlaces(
  work: Work,
  portions: readonly Portion[],
  places: readonly StockPlace[],
  short: typeof shortage,
): Promise<readonly Portion[]> {
  const fixed = portions.filter(({ location }) => location !== undefined)
  const free = portions.filter(({ location }) => location === undefined)
  const taken: Portion[] = [...fixed]
  const available = await availableAt(work, unique(free.map(({ productId }) => productId)))
  for (const { productId, quantity } of free) {
    const left = (place: StockPlace | undefined) =>
      available(productId, place) -
      (fixed.find((one) => one.productId === productId && one.location === place?.slug)?.quantity ?? 0)
    const byMost = places.toSorted((one, other) => left(other) - left(one))
    let missing = quantity
    for (const place of [undefined, ...byMost]) {
      const some = Math.min(missing, Math.max(0, left(place)))
      if (some > 0) taken.push({ productId, quantity: some, ...(place && { location: place.slug }) })
      missing -= some
    }
    if (missing > 0) throw short([productId])
  }
  return joined(taken)
}

/** Reads how many pieces of products are available at a place. The caller has locked the stocks. */
async function availableAt(
  { store }: Work,
  ids: readonly string[],
): Promise<(productId: string, place: StockPlace | undefined) => number> {
  const rows = ids.length
    ? await store.run(
        `SELECT stock_id || ' ' || coalesce(location_id::text, ''), available FROM stock_levels
         WHERE store_id = $1 AND stock_id = ANY($2::uuid[])`,
        ids,
      )
    : []
  const levels = new Map(rows.map(([key, available]) => [key as string, Number(available)]))
  return (productId, place) => levels.get(`${productId} ${place?.id ?? ''}`) ?? 0
}

async function move(
  work: Work,
  what: 'allocate' | 'deallocate' | 'ship',
  portions: readonly Portion[],
  places: ReadonlyMap<string, StockPlace>,
  short = shortage,
): Promise<void> {
  const movements = portions.map(
    ({ productId, location, quantity }): Movement => ({
      productId,
      place: location === undefined ? undefined : places.get(location),
      adds: changeBy[what](quantity),
      action: what === 'ship' ? 'decrement' : what,
    }),
  )
  if (!movements.length) return
  // What follows the lock of the stock goes with it, and no buyer waits for a turn between two processes.
  const later = { store: work.store.later() }
  await moveStock(later, movements, short)
  await showLevels(later, unique(portions.map(({ productId }) => productId)))
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
