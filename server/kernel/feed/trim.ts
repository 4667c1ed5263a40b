import type { Connection } from '../storage/database.ts'

const rowsAtOnce = 5000
const roundsMax = 1000

/** A store, and what it keeps of its feed. */
interface Retention {
  readonly storeId: string
  /** Everything from this day on (UTC). */
  readonly from: Date
  /** Everything after this position, because somebody has not read it. */
  readonly unread: number
}

/**
 * Deletes the changes that no store keeps any longer. Whole weeks are dropped; of what other stores still need, the
 * rows are deleted.
 */
export async function trimFeeds(database: Connection, stores: readonly Retention[]): Promise<void> {
  const marked: (readonly [storeId: string, trimmed: string])[] = []
  for (const { storeId, from, unread } of stores) {
    const text = 'SELECT mark_trimmed($1, $2, $3)'
    const [row] = await database.run({ text, values: [storeId, from, unread] })
    marked.push([storeId, row?.[0] ?? '0'])
  }
  await database.run({ text: 'CALL drop_trimmed_partitions()', values: [], once: true, long: true })
  for (const values of marked) {
    for (let round = 0; round < roundsMax; round++) {
      const [deleted] = await database.run({ text: deleteSql, values: [...values, rowsAtOnce] })
      if (Number(deleted?.[0]) < rowsAtOnce) break
    }
  }
}

const deleteSql = `WITH old AS (
    SELECT position, given_at FROM changes WHERE store_id = $1 AND position <= $2 ORDER BY position LIMIT $3
  ), trimmed AS (
    DELETE FROM changes c USING old WHERE c.store_id = $1 AND c.position = old.position AND c.given_at = old.given_at
    RETURNING 1
  )
  SELECT count(*) FROM trimmed`
