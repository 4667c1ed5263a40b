import { newId } from '../ids.ts'
import type { Store } from '../storage/store.ts'
import type { Work } from '../work/context.ts'

/** What happened to an object, and is no write of its row. */
export interface FeedEvent {
  /** What webhooks are subscribed to: `gadget.sold`. */
  readonly event: string
  readonly type: string
  /** The object's; a new one where there is no object. */
  readonly id?: string
  /** The table it is kept in; the type where there is none. */
  readonly source?: string
  /** The innermost parent in its path. */
  readonly scope?: string
  readonly personal?: boolean
  readonly doc: object
}

/**
 * Writes an event into the change feed. The rows that are written are there already. To be in order with the changes of
 * the object, it is called while the object's row is locked.
 */
export async function record({ store, who, requestId, clock }: Work, happening: FeedEvent): Promise<void> {
  const { event, type, id = newId(), source = type, scope = null, personal = false, doc } = happening
  await store.run(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, scope, personal, actor, request_id, doc)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    clock.now(),
    event,
    type,
    source,
    id,
    scope,
    personal,
    who.actor,
    requestId,
    JSON.stringify(doc),
  )
}

/** The position of the last change in the store's feed; 0 while the feed is empty. */
export async function feedPosition(store: Store): Promise<number> {
  const [row] = await store.run('SELECT position FROM feeds WHERE store_id = $1')
  return Number(row?.[0] ?? 0)
}

/** Afterwards all that was written in the store so far is in the change feed: for whoever reads it. */
export async function sequence(store: Store): Promise<void> {
  await store.runLong('SELECT sequence_store($1)')
}

/** To the end of the transaction nothing gets into the change feed, but by its own `sequence`. */
export async function holdFeed(store: Store): Promise<void> {
  await store.run('SELECT hold_feed($1)')
}
