import type { Connection } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'

/** Deletes the changes that meet a condition from a store's feed. In the condition, `a` is the change. */
export const eraseChanges = async (
  store: Store,
  which: string,
  ...values: readonly unknown[]
): Promise<void> =>
  void (await store.run(`DELETE FROM changes a WHERE a.store_id = $1 AND ${which}`, ...values))

/**
 * Deletes what the feed says about objects with personal data, but for their deletions, which late readers still need.
 * The index is of personal changes only, so the condition says that they are.
 */
export const forgetChangesOf = (
  store: Store,
  tables: readonly string[],
  ids: readonly string[],
): Promise<void> =>
  eraseChanges(
    store,
    `a.source = ANY($2::text[]) AND a.id = ANY($3::uuid[]) AND a.personal AND a.event <> 'deleted'`,
    tables,
    ids,
  )

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
