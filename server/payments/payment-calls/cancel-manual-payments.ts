import type { Work } from '../../kernel/work/context.ts'
import type { Transaction, WholeOrder } from '../../orders/index.ts'
import { afterAnswer } from '../rules/gateway-payment.ts'
import { paymentsOf } from '../transactions/payments-of-orders.ts'
import { paymentIn, storedValuesOf } from '../transactions/settle.ts'
import { recordAnswer } from '../transactions/transaction-events.ts'
import { transactions } from '../transactions/transactions.ts'

/**
 * Cancels what is authorized with the manual gateway, which has no call for it. Payments of other gateways stay: the
 * money is held there, and the merchant cancels them one by one. Returns all payments of the order, which is locked.
 */
export async function cancelManualPayments(work: Work, order: WholeOrder): Promise<readonly Transaction[]> {
  const { store } = work
  const all = new Map(await paymentsOf(work, order.id))
  const rows = await store.lockWhole(transactions, [...all.keys()], [order.id])
  const answer = { reports: [{ is: 'cancelled' }], reference: undefined } as const
  const cancelled = rows.flatMap((row) => {
    if (row.doc.gateway !== 'manual') return []
    const before = paymentIn(row)
    const after = afterAnswer(before, answer)
    if (after === before) return []
    all.set(row.id, after.transaction)
    return { ...row, values: { ...row.doc, ...row.hidden, ...storedValuesOf(after) } }
  })
  await store.updateAll(transactions, cancelled)
  for (const { id } of cancelled) await recordAnswer(work, { transactionId: id, verb: 'cancel' }, answer)
  return [...all.values()]
}
