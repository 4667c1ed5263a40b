import type { Work } from '../work/context.ts'

/** How many objects were deleted, by their type. */
type DeletedCounts = Readonly<Record<string, number>>

/**
 * Runs `run` in the open transaction, and counts the objects that it deletes, whatever deletes them: a statement, a
 * rule or a foreign key. Each has written a change.
 */
export async function countDeleted<T>(
  { store, requestId }: Work,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly counts: DeletedCounts }> {
  // The author too: a statement that names none would write changes of nobody.
  const [before] = await store.run(
    `SELECT coalesce(pg_sequence_last_value('fresh_changes_seq_seq'::regclass), 0), set_config('sutler.by', $2, true), $1::uuid`,
    store.stamp,
  )
  const result = await run()
  const rows = await store.run(
    `SELECT type, count(*) FROM fresh_changes
     WHERE store_id = $1 AND seq > $2::bigint AND request_id = $3 AND event = 'deleted'
     GROUP BY type ORDER BY type`,
    before?.[0],
    requestId,
  )
  return { result, counts: Object.fromEntries(rows.map(([type, n]) => [type, Number(n)])) }
}
