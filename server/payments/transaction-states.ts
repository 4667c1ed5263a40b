import type { Transaction, TransactionStatus, TransactionType } from './transaction.ts'

type State = `${TransactionType} ${TransactionStatus}`

/** What a gateway reports about the money of a transaction. */
export type Report =
  /** The money was received, all or less: a gateway may capture a part and release the rest. */
  | { readonly is: 'paid'; readonly amount?: number }
  | { readonly is: 'authorized' | 'failed' | 'cancelled' }
  /** So much was returned in all, since the payment. */
  | { readonly is: 'refunded'; readonly amount: number }

type Word = Report['is']

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
}

/** The transaction after a report; the same one where the report changes nothing. */
export function afterReport(transaction: Transaction, report: Report): Transaction {
  const { type, status, amount, refundedAmount } = transaction
  const state = states[`${type} ${status}`]?.[report.is]
  if (state === undefined) return transaction
  if (report.is === 'refunded') {
    if (report.amount < amount) {
      return report.amount > refundedAmount ? { ...transaction, refundedAmount: report.amount } : transaction
    }
    return { ...transaction, ...partsOf(state), refundedAmount: amount }
  }
  const received = report.is === 'paid' ? Math.min(report.amount ?? amount, amount) : amount
  return { ...transaction, ...partsOf(state), amount: received }
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
