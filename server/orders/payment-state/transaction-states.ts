import type { Transaction, TransactionStatus, TransactionType } from './transaction.ts'

type State = `${TransactionType} ${TransactionStatus}`

/** What a gateway reports about the money of a transaction. */
export type Report =
  /** The money was received, all or less: a gateway may capture a part and release the rest. */
  | { readonly is: 'paid'; readonly amount?: number }
  | { readonly is: 'authorized' | 'failed' | 'cancelled' }
  /** So much was returned in all, since the payment, and so much was to be returned and came back. */
  | { readonly is: 'refunded'; readonly amount: number; readonly failed?: number }

type Word = Report['is']
type RefundReport = Extract<Report, { readonly is: 'refunded' }>

const endsOf = (name: TransactionType): Partial<Record<Word, State>> => ({
  failed: `${name} failed`,
  cancelled: `${name} cancelled`,
})

/**
 * The states of a transaction: what each report makes of it. A report without a row changes nothing, because reports
 * come twice and late. docs/payments.md has the same table.
 */
const states: Partial<Record<State, Partial<Record<Word, State>>>> = {
  'purchase pending': { paid: 'purchase complete', authorized: 'authorize complete', ...endsOf('purchase') },
  'purchase-setup pending': {
    ...{ paid: 'purchase complete', authorized: 'authorize complete', ...endsOf('purchase-setup') },
  },
  'authorize pending': { paid: 'capture complete', authorized: 'authorize complete', ...endsOf('authorize') },
  'authorize-setup pending': {
    ...{ paid: 'capture complete', authorized: 'authorize complete', ...endsOf('authorize-setup') },
  },
  'authorize complete': { paid: 'capture complete', cancelled: 'authorize cancelled' },
  // All of it; a part changes only the refunded amount.
  'purchase complete': { refunded: 'refund complete' },
  'capture complete': { refunded: 'refund complete' },
  'refund complete': { refunded: 'refund complete' },
}

/** The transaction after a report; the same one where the report changes nothing. */
export function afterReport(transaction: Transaction, report: Report): Transaction {
  const { type, status, amount } = transaction
  const state = states[`${type} ${status}`]?.[report.is]
  if (state === undefined) return transaction
  if (report.is === 'refunded') return afterRefunds(transaction, report)
  const received = report.is === 'paid' ? Math.min(report.amount ?? amount, amount) : amount
  return { ...transaction, ...partsOf(state), amount: received }
}

/**
 * What was ever refunded, and what failed of that, only grows. So an old report after a newer one changes nothing, and
 * a refund that fails days later is taken back.
 */
function afterRefunds(before: Transaction, { amount: returned, failed = 0 }: RefundReport): Transaction {
  const { type, amount, refundedAmount, failedRefundAmount = 0 } = before
  const receivedAs = type === 'capture' || type === 'purchase' ? type : (before.receivedAs ?? 'purchase')
  const made = Math.max(refundedAmount + failedRefundAmount, returned + failed)
  const failedInAll = Math.max(failedRefundAmount, failed)
  const after: Transaction = {
    ...before,
    refundedAmount: Math.min(amount, made - failedInAll),
    ...(failedInAll > 0 && { failedRefundAmount: failedInAll }),
  }
  const isWhole = after.refundedAmount === amount
  const isSame = after.refundedAmount === refundedAmount && failedInAll === failedRefundAmount
  if (isSame && isWhole === (type === 'refund')) return before
  return isWhole ? { ...after, type: 'refund', receivedAs } : { ...after, type: receivedAs }
}

/** The transaction after reports, in their order. */
export const afterReports = (transaction: Transaction, reports: readonly Report[]): Transaction =>
  reports.reduce(afterReport, transaction)

const partsOf = (state: State) => {
  const [type, status] = state.split(' ') as [TransactionType, TransactionStatus]
  return { type, status }
}

export const isPending = ({ status }: Transaction): boolean => status === 'pending'

/** Whether the money is held for the merchant, who has not received it. */
export const isAuthorized = ({ type, status }: Transaction): boolean =>
  type === 'authorize' && status === 'complete'

/** Whether the merchant has received the money, and possibly returned it since. */
export const isPaid = ({ type, status }: Transaction): boolean =>
  status === 'complete' && (type === 'purchase' || type === 'capture' || type === 'refund')
