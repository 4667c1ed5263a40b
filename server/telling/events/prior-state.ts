import type { Change } from '../../kernel/feed/changes.ts'
import type { Store } from '../../kernel/storage/store.ts'

/** An object before a change. */
interface PriorState {
  readonly doc: string
  /** When it was written, as an ISO timestamp. */
  readonly at: string
  readonly hidden: string
}

/** The object as the last change before this one left it; undefined if the feed no longer has that. */
export async function priorState(
  store: Store,
  { id, source, position }: Pick<Change, 'id' | 'source' | 'position'>,
): Promise<PriorState | undefined> {
  const [row] = await store.read(
    `SELECT doc, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), coalesce(hidden, '{}')
     FROM changes WHERE store_id = $1 AND id = $2 AND position < $3 AND source = $4 AND doc IS NOT NULL
     ORDER BY position DESC LIMIT 1`,
    id,
    position,
    source,
  )
  if (!row) return undefined
  const [doc, at, hidden] = row as readonly [string, string, string]
  return { doc, at, hidden }
}
