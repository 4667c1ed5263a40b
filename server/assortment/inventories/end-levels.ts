import type { Work } from '../../kernel/work/context.ts'
import { recordMovements, type StockPlace, showLevels } from './move-stock.ts'
import { changeToZero, type Level, totalOf } from './movements.ts'
import { stocks } from './stocks.ts'

interface LevelAt {
  readonly productId: string
  readonly place: StockPlace
  readonly level: Level
}

/** Removes products from locations, with the stock that is there. The caller has locked the stocks. */
export async function endLevels(work: Work, levels: readonly LevelAt[]): Promise<void> {
  await work.store.runLong(
    `DELETE FROM stock_levels l USING unnest($2::uuid[], $3::uuid[]) AS input (stock_id, location_id)
     WHERE l.store_id = $1 AND l.stock_id = input.stock_id AND l.location_id = input.location_id`,
    levels.map(({ productId }) => productId),
    levels.map(({ place }) => place.id),
  )
  const ended = levels.filter(({ level }) => totalOf(level) > 0)
  await recordMovements(
    work,
    ended.map(({ productId, place, level }) => ({ productId, place, adds: changeToZero(level) })),
  )
}

/** Locks the stocks that have a level in a location until the transaction ends. Returns the ids of their products. */
export async function lockStocksAt({ store }: Work, locationId: string): Promise<readonly string[]> {
  const rows = await store.run(
    'SELECT stock_id FROM stock_levels WHERE store_id = $1 AND location_id = $2',
    locationId,
  )
  const ids = rows.map(([id]) => id as string)
  return ids.length ? [...(await store.lock(stocks, ...ids))] : []
}

/** Removes all products from a location. The caller has made sure that none is added any more. */
export async function emptyLocation(work: Work, place: StockPlace): Promise<void> {
  const held = await lockStocksAt(work, place.id)
  if (!held.length) return
  const rows = await work.store.run(
    'SELECT stock_id, available, allocated FROM stock_levels WHERE store_id = $1 AND location_id = $2',
    place.id,
  )
  const levels = rows.map(([productId, available, allocated]) => ({
    productId: productId as string,
    place,
    level: { available: Number(available), allocated: Number(allocated) },
  }))
  await endLevels(work, levels)
  await showLevels(work, held)
}
