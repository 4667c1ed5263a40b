import { eraseChanges } from '../../kernel/feed/erase.ts'
import { hidePersonal } from '../../kernel/shape/hide-personal.ts'
import { changeThings } from '../../kernel/thing/change-thing.ts'
import type { Work } from '../../kernel/work/context.ts'
import { transactions } from './transactions.ts'

/**
 * Removes from the payments of orders what a shopper can have written, also from the change feed. The caller holds the
 * feed and has locked the orders. Returns the ids of the payments.
 */
export async function forgetPayments(work: Work, orderIds: readonly string[]): Promise<readonly string[]> {
  const { store } = work
  const rows = await store.run(
    'SELECT id FROM order_transactions WHERE store_id = $1 AND order_id = ANY($2::uuid[])',
    orderIds,
  )
  const ids = rows.map(([id]) => id as string)
  await eraseChanges(
    store,
    `a.source = 'order_transactions' AND a.id = ANY($2::uuid[]) AND a.event <> 'deleted'`,
    ids,
  )
  await changeThings(work, transactions, ids, async (found) =>
    found.map(({ doc, hidden }) => ({ values: hidePersonal(transactions.fields, { ...doc, ...hidden }) })),
  )
  return ids
}
