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
