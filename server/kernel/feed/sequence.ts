import type { Store } from '../storage/store.ts'

/** The position of the last change in the store's feed; 0 while the feed is empty. */
export async function feedPosition(store: Store): Promise<number> {
  const [row] = await store.run('SELECT position FROM feeds WHERE store_id = $1')
  return Number(row?.[0] ?? 0)
}

/** Moves all committed changes of the store into the change feed, for a reader that must see them. */
export async function sequence(store: Store): Promise<void> {
  await store.runLong('SELECT sequence_store($1)')
}

/** Until the transaction ends, only its own `sequence` adds to the change feed. */
export async function holdFeed(store: Store): Promise<void> {
  await store.run('SELECT hold_feed($1)')
}
