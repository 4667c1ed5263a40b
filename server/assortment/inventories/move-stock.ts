import { Problem } from '../../kernel/errors.ts'
import { lockSql } from '../../kernel/storage/locks.ts'
import { brokenConstraint } from '../../kernel/storage/refusals.ts'
import type { Work } from '../../kernel/work/context.ts'
import { changesOf, type Level, levelMax, type StockChange } from './movements.ts'
import { stockTransactions } from './stock-transactions.ts'
import { stocks } from './stocks.ts'

/** A location of stock. Stock without a location has no place. */
export interface StockPlace {
  readonly slug: string
  readonly id: string
}

/** A change of the level of a product at a place. */
export interface Movement {
  readonly productId: string
  readonly place: StockPlace | undefined
  readonly adds: Level
  /** The action that is recorded for a change of zero; an increment by default. */
  readonly action?: StockChange
  /** Whether the stock is created with it. */
  readonly first?: true
}

/** Finds locations by their slugs, or throws a 404. None is renamed or deleted until the transaction ends. */
export async function lockPlaces(
  { store }: Work,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, StockPlace>> {
  if (!slugs.length) return new Map()
  const rows = await store.readAndLock(
    'SELECT slug, id FROM inventory_locations WHERE store_id = $1 AND slug = ANY($2::text[]) ORDER BY id',
    slugs,
  )
  const places = new Map(rows.map(([slug, id]) => [slug as string, { slug, id } as StockPlace]))
  const missing = slugs.find((slug) => !places.has(slug))
  if (missing !== undefined) throw new Problem('not_found', `No location found: ${missing}`)
  return places
}

/** Reads the levels of a product by place; a place may have none. The caller has locked the stock. */
export async function levelsOf(
  { store }: Work,
  productId: string,
): Promise<(place: StockPlace | undefined) => Level | undefined> {
  const rows = await store.run(
    'SELECT location_id, available, allocated FROM stock_levels WHERE store_id = $1 AND stock_id = $2',
    productId,
  )
  const levels = new Map(
    rows.map(([location, available, allocated]) => [
      location ?? undefined,
      { available: Number(available), allocated: Number(allocated) },
    ]),
  )
  return (place) => levels.get(place?.id)
}

/** The refusal of a request for more than is in stock. `ids` are the products with too little. */
export const shortage = (ids: readonly string[]): Problem =>
  new Problem('unprocessable', 'Your request could not be completed due to insufficient stock levels', {
    title: 'Cannot complete request',
    meta: { ids: [...new Set(ids)] },
  })

/**
 * Changes all levels or none, in one statement that locks the stocks and lets no level fall below zero. A place without
 * a level gets one, so a caller who adds stock has locked it before. If stock has just been deleted, the transaction
 * begins again. Returns the ids of the transactions that record the changes. There is one movement at most for each
 * product and place. `short` is the refusal of a request for more than is there.
 */
export async function moveStock(
  work: Pick<Work, 'store'>,
  movements: readonly Movement[],
  short = shortage,
): Promise<readonly string[]> {
  const { store } = work
  const productIds = movements.map(({ productId }) => productId)
  const columns = [
    productIds,
    movements.map(({ place }) => place?.id ?? null),
    movements.map(({ adds }) => adds.available),
    movements.map(({ adds }) => adds.allocated),
  ]
  store.enterLocks(stocks, productIds)
  await store
    .later((error) => refusalIn(error, movements, short))
    .run(
      `WITH locked AS MATERIALIZED (
        ${lockSql(stocks, '$2')}
      ), wanted AS MATERIALIZED (
        SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::int[])
          AS g (stock_id, location_id, available, allocated, at)
      ), input AS MATERIALIZED (
        SELECT * FROM wanted WHERE stock_id IN (SELECT id FROM locked)
      ), changed AS (
        UPDATE stock_levels l SET available = l.available + g.available, allocated = l.allocated + g.allocated
        FROM input g
        WHERE l.store_id = $1 AND l.stock_id = g.stock_id AND l.location_id IS NOT DISTINCT FROM g.location_id
          AND l.available + g.available >= 0 AND l.allocated + g.allocated >= 0
          AND l.available + l.allocated + g.available + g.allocated <= ${levelMax}
        RETURNING g.at
      ), added AS (
        INSERT INTO stock_levels (store_id, stock_id, location_id, available, allocated)
        SELECT $1, g.stock_id, g.location_id, g.available, g.allocated FROM input g
        WHERE g.available >= 0 AND g.allocated >= 0 AND NOT EXISTS (
          SELECT FROM stock_levels l WHERE l.store_id = $1 AND l.stock_id = g.stock_id
            AND l.location_id IS NOT DISTINCT FROM g.location_id)
        RETURNING stock_id, location_id
      ), moved AS (
        SELECT at FROM changed UNION ALL
        SELECT g.at FROM added a JOIN input g ON g.stock_id = a.stock_id AND g.location_id IS NOT DISTINCT FROM a.location_id
      )
      SELECT refuse_movements(array_agg(at), bool_or(stock_id NOT IN (SELECT id FROM locked)))
      FROM wanted WHERE at NOT IN (SELECT at FROM moved) HAVING count(*) > 0`,
      ...columns,
      movements.map((_, at) => at),
    )
  return recordMovements(work, movements)
}

/** Records changes of levels as transactions, and returns their ids. */
export function recordMovements(
  { store }: Pick<Work, 'store'>,
  movements: readonly Movement[],
): Promise<readonly string[]> {
  return store.insertAll(
    stockTransactions,
    movements.flatMap(({ productId, place, adds, action: requested = 'increment', first }) =>
      changesOf(adds, requested).map(([action, quantity]) => ({
        scope: [productId],
        values: { action, product_id: productId, quantity, location: place?.slug, first },
      })),
    ),
  )
}

/** The client's words for movements that `refuse_movements` has refused. */
function refusalIn(
  error: unknown,
  movements: readonly Movement[],
  short: typeof shortage,
): Problem | undefined {
  if (brokenConstraint(error) !== 'stock_movements') return undefined
  const places = JSON.parse((error as { readonly detail: string }).detail) as readonly number[]
  const refused = places.flatMap((at) => movements[at] ?? [])
  const tooMuch = refused.find(({ adds }) => adds.available >= 0 && adds.allocated >= 0)
  if (!tooMuch) return short(refused.map(({ productId }) => productId))
  return new Problem('unprocessable', `The stock of a product in one place must be at most ${levelMax}.`)
}

/** Updates the documents of stocks to their current levels. */
export async function showLevels(
  { store }: Pick<Work, 'store'>,
  productIds: readonly string[],
): Promise<void> {
  await store.changeAll(stocks, {
    from: (bind) => `stock_documents($1, ${bind(productIds)}::uuid[]) AS shown`,
    where: () => 'r.id = shown.stock_id',
    doc: () => 'shown.doc',
  })
}
