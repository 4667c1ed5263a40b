import type { Store } from '../storage/store.ts'

/** Deletes the changes that meet a condition from a store's feed. In the condition, `a` is the change. */
export const eraseChanges = async (
  store: Store,
  which: string,
  ...values: readonly unknown[]
): Promise<void> =>
  void (await store.run(`DELETE FROM changes a WHERE a.store_id = $1 AND ${which}`, ...values))
