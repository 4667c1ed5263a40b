import type { Store } from '../storage/store.ts'

/** Deletes changes `a` of a store's feed for good. The feed keeps everything else until it is trimmed. */
export const eraseChanges = async (
  store: Store,
  which: string,
  ...values: readonly unknown[]
): Promise<void> =>
  void (await store.run(`DELETE FROM changes a WHERE a.store_id = $1 AND ${which}`, ...values))
