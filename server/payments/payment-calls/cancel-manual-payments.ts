import type { Work } from '../../kernel/work/context.ts'
import { afterReport, paymentOf } from '../../orders/index.ts'
import { lockOrder, storedValuesOf } from '../transactions/settle.ts'
import { transactions } from '../transactions/transactions.ts'

/**
 * Cancels what is authorized with the manual gateway, which has no call for it. Payments of other gateways stay: the
 * money is held there, and the merchant cancels them one by one.
 */
export async function cancelManualPayments(work: Work, orderId: string) {
  const { store } = work
  const locked = await lockOrder(work, orderId)
  const all = new Map(locked.transactions)
  const rows = await store.lockWhole(transactions, [...all.keys()], [orderId])
  const cancelled = rows.flatMap(({ id, scope, doc, hidden }) => {
    const before = locked.transactions.get(id)
    if (doc.gateway !== 'manual' || !before) return []
    const after = afterReport(before, { is: 'cancelled' })
    if (after === before) return []
    all.set(id, after)
    return { id, scope, values: { ...doc, ...hidden, ...storedValuesOf(after) } }
  })
  await store.updateAll(transactions, cancelled)
  const { payment, paid, authorized, pending } = paymentOf(locked.money.total, [...all.values()])
  return { payment, payments: { paid, authorized, pending } }
}
