import { eraseChanges } from '../../kernel/feed/erase.ts'
import { hidePersonal } from '../../kernel/shape/hide-personal.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { transactions } from './transactions.ts'

/**
 * Removes from the payments of orders what a shopper can have written, also from the change feed. The caller holds the
 * feed and has locked the orders. Returns the ids of the payments.
 */
export async function forgetPayments(work: Work, orderIds: readonly string[]): Promise<readonly string[]> {
  const { store } = work
  const rows = await store.run(
    'SELECT order_id, id FROM order_transactions WHERE store_id = $1 AND order_id = ANY($2::uuid[]) ORDER BY id',
    orderIds,
  )
  const ids = rows.map(([, id]) => id as string)
  await eraseChanges(
    store,
    `a.source = 'order_transactions' AND a.id = ANY($2::uuid[]) AND a.event <> 'deleted'`,
    ids,
  )
  for (const [orderId, id] of rows as readonly (readonly [string, string])[]) {
    const row = await store.findWhole(transactions, id, [orderId])
    const hidden = hidePersonal(transactions.fields, { ...row?.doc, ...row?.hidden })
    if (Object.keys(hidden).length) await change(work, transactions, [orderId], id, hidden)
  }
  return ids
}
