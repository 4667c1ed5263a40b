import { forgetChangesOf } from '../../kernel/feed/erase.ts'
import { holdFeed, sequence } from '../../kernel/feed/record.ts'
import type { Work } from '../../kernel/work/context.ts'
import { allKinds, type PromotionKind } from '../codes/promotion-kinds.ts'
import { guestPrefix } from './shoppers.ts'

/** Removes the email addresses from usages, also from the change feed. Needs a transaction. */
export async function forgetUsers(
  { store, who }: Work,
  { usages }: Pick<PromotionKind, 'usages'>,
  ids: readonly string[],
): Promise<void> {
  // As an erasure does, and so first: two of them cannot wait for each other.
  await holdFeed(store)
  await store.lock(usages, ...ids)
  await sequence(store)
  await forgetChangesOf(store, [usages.table], ids)
  await store.run(
    `UPDATE ${usages.table} SET shopper = NULL, slot = NULL
     WHERE store_id = $1 AND id = ANY($2::uuid[]) AND starts_with(shopper, $3)`,
    ids,
    guestPrefix,
  )
  await store.changeAll(usages, {
    where: (bind) => `r.id = ANY(${bind(ids)}::uuid[])`,
    doc: (bind) =>
      `(r.doc::jsonb || jsonb_build_object('anonymized', true, 'updated_by', ${bind(who.actor)}::text, 'customer_email',
         CASE WHEN r.customer_email IS NOT NULL THEN '**' END))::json`,
  })
}

/** As `forgetUsers`, for the codes of these orders. */
export async function forgetUsersOfOrders(work: Work, orderIds: readonly string[]): Promise<void> {
  for (const kind of allKinds) {
    const rows = await work.store.run(
      `SELECT id FROM ${kind.usages.table} WHERE store_id = $1 AND order_id = ANY($2::uuid[])
         AND doc->>'anonymized' IS DISTINCT FROM 'true' ORDER BY id`,
      orderIds,
    )
    const ids = rows.map(([id]) => id as string)
    if (ids.length) await forgetUsers(work, kind, ids)
  }
}
