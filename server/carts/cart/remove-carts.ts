import { forgetChangesOf } from '../../kernel/feed/erase.ts'
import { Binds } from '../../kernel/storage/binds.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { ownedBy } from '../contents/owners.ts'
import type { ShownContents } from '../contents/shown-of.ts'
import { carts } from './carts.ts'

/** A cart at the moment when it became an order. */
interface OrderedCart {
  readonly id: string
  readonly version: number
}

/**
 * Removes the carts of these persons and accounts, and what the change feed says of them. The caller holds the feed
 * (`holdFeed`), and has moved all changes into it. Returns the ids that copies elsewhere may have: those of the carts
 * and of their items.
 */
export const removeCartsOf = (store: Store, owners: readonly string[]): Promise<readonly string[]> =>
  removeCarts(store, (bind) =>
    owners
      .map((id) => bind(JSON.stringify([id])))
      .flatMap((ids) => [ownedBy('customers', ids), ownedBy('accounts', ids)])
      .join(' OR '),
  )

/**
 * As `removeCartsOf`, for carts that have become orders and have not changed since, or are empty: storefronts empty a
 * cart after the checkout, and its attributes and contact stay. Others are in use again.
 */
export async function removeOrderedCarts(
  store: Store,
  ordered: readonly OrderedCart[],
): Promise<readonly string[]> {
  const ids = ordered.map(({ id }) => id)
  const versions = ordered.map(({ version }) => version)
  const traces = await removeCarts(
    store,
    (bind) => `r.id = ANY(${bind(ids)}::uuid[])
      AND ((r.id, r.version) IN (SELECT * FROM unnest(${bind(ids)}::uuid[], ${bind(versions)}::integer[]))
        OR coalesce(json_array_length(r.hidden->'contents'->'lines'), 0) = 0)`,
  )
  // Some have expired, or were deleted.
  await forgetChangesOf(store, [carts.table], ids)
  return [...traces, ...ids]
}

async function removeCarts(
  store: Store,
  where: (bind: (value: unknown) => string) => string,
): Promise<readonly string[]> {
  const binds = new Binds([store.id])
  const which = `r.store_id = $1 AND (${where(binds.bind) || 'false'})`
  const values = binds.values.slice(1)
  const found = await store.run(`SELECT r.id FROM carts r WHERE ${which}`, ...values)
  await store.lockExclusive(carts, ...found.map(([id]) => id as string))
  // As they are now that nobody can change them.
  const text = `SELECT r.id, r.reference, r.hidden->'contents' FROM carts r WHERE ${which}`
  const rows = await store.run(text, ...values)
  const ids = rows.map(([id]) => id as string)
  if (!ids.length) return []
  await store.removeAll(carts, (bind) => `r.id = ANY(${bind(ids)}::uuid[])`)
  await forgetChangesOf(store, [carts.table], ids)
  return rows.flatMap(([id, reference, contents]) => {
    const { lines } = JSON.parse(contents ?? '{"lines":[]}') as Pick<ShownContents, 'lines'>
    return [id as string, reference as string, ...lines.map((line) => line.id)]
  })
}
