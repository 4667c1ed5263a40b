import { isAuthorized, isPaid, isPending, type Transaction } from '../../orders/index.ts'

export const verbs = ['confirm', 'capture', 'refund', 'cancel'] as const

/** A transaction, as far as its next actions depend on it. */
interface ShownTransaction {
  readonly transaction_type: Transaction['type']
  readonly status: Transaction['status']
  readonly amount: number
  readonly refunded_amount: number
  readonly gateway: string
}

/** What can be done with a transaction next. The manual gateway cancels nothing. */
export function nextActionsOf(shown: ShownTransaction): readonly (typeof verbs)[number][] {
  const { transaction_type: type, status, amount, refunded_amount: refundedAmount, gateway } = shown
  const transaction: Transaction = { type, status, amount, refundedAmount }
  if (isPending(transaction)) return ['confirm', 'cancel']
  if (isAuthorized(transaction)) return gateway === 'manual' ? ['capture'] : ['capture', 'cancel']
  return isPaid(transaction) && type !== 'refund' ? ['refund'] : []
}
