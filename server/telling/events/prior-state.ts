import type { Change } from '../../kernel/feed/changes.ts'
import { columns } from '../../kernel/storage/columns.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Store } from '../../kernel/storage/store.ts'

/** An object before a change, and when it was written. */
const priorColumns = columns({ doc: 'doc', at: isoTime('at'), hidden: "coalesce(hidden, '{}')" })

/** The object as the last change before this one left it; undefined if the feed no longer has that. */
export async function priorState(
  store: Store,
  { id, source, position }: Pick<Change, 'id' | 'source' | 'position'>,
): Promise<ReturnType<typeof priorColumns.read> | undefined> {
  const [row] = await store.read(
    `SELECT ${priorColumns.sql} FROM changes
     WHERE store_id = $1 AND id = $2 AND position < $3 AND source = $4 AND doc IS NOT NULL
     ORDER BY position DESC LIMIT 1`,
    id,
    position,
    source,
  )
  return row && priorColumns.read(row)
}
