import type { Work } from '../../kernel/work/context.ts'
import { paymentOf } from '../../orders/index.ts'
import { afterAnswer } from '../rules/gateway-payment.ts'
import { lockOrder, paymentIn, storedValuesOf } from '../transactions/settle.ts'
import { recordAnswer } from '../transactions/transaction-events.ts'
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
  const answer = { reports: [{ is: 'cancelled' }], reference: undefined } as const
  const cancelled = rows.flatMap((row) => {
    const transaction = locked.transactions.get(row.id)
    if (row.doc.gateway !== 'manual' || !transaction) return []
    const before = paymentIn(row, transaction)
    const after = afterAnswer(before, answer)
    if (after === before) return []
    all.set(row.id, after.transaction)
    return { ...row, values: { ...row.doc, ...row.hidden, ...storedValuesOf(after) } }
  })
  await store.updateAll(transactions, cancelled)
  for (const { id } of cancelled) await recordAnswer(work, { transactionId: id, verb: 'cancel' }, answer)
  const { payment, paid, authorized, pending } = paymentOf(locked.money.total, [...all.values()])
  return { payment, payments: { paid, authorized, pending } }
}
