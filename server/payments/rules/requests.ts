import {
  isAuthorized,
  isPaid,
  isPending,
  newTransaction,
  type OrderMoney,
  type Payment,
  type PaymentMethod,
  paymentOf,
  type Transaction,
} from '../../orders/index.ts'

/** Why a request about payments is refused. `refusals.ts` has the words for clients. */
export type Refusal =
  | {
      readonly reason:
        | 'order-cancelled'
        | 'order-settled'
        | 'balance-pending'
        | 'not-capturable'
        | 'not-refundable'
        | 'order-not-refundable'
        | 'not-cancellable'
    }
  | { readonly reason: 'zero-total'; readonly part: 'gateway' | 'method' }
  | { readonly reason: 'amount-out-of-range'; readonly min: number; readonly max: number }

/** A value, or the reason why there is none. */
export type Decision<T> =
  | { readonly refusal: Refusal; readonly value?: undefined }
  | { readonly refusal?: undefined; readonly value: T }

const refuse = (
  reason: Exclude<Refusal['reason'], 'zero-total' | 'amount-out-of-range'>,
): { refusal: Refusal } => ({
  refusal: { reason },
})

interface PaymentRequest {
  readonly gateway: string
  readonly method: PaymentMethod
  /** All of the balance if undefined. */
  readonly amount: number | undefined
}

/** The transaction that a payment starts with, before its gateway is called. */
export function startPayment(order: OrderMoney, request: PaymentRequest): Decision<Transaction> {
  const { total, isCancelled, transactions } = order
  if (isCancelled) return refuse('order-cancelled')
  const payment = paymentOf(total, transactions)
  const settled = refuseSettled(total, transactions, payment)
  if (settled) return settled
  if (total === 0) {
    if (request.gateway !== 'manual') return { refusal: { reason: 'zero-total', part: 'gateway' } }
    if (request.method !== 'purchase') return { refusal: { reason: 'zero-total', part: 'method' } }
  }
  const [min, max] = [Math.min(1, total), payment.balanceOwing]
  const { amount = max } = request
  if (amount < min || amount > max) return { refusal: { reason: 'amount-out-of-range', min, max } }
  return { value: newTransaction(request.method, amount) }
}

/** Refuses a payment of an order that has nothing left to pay. */
function refuseSettled(
  total: number,
  transactions: readonly Transaction[],
  { payment, balanceOwing }: Payment,
) {
  if (total > 0 && balanceOwing > 0) return undefined
  if (payment === 'paid' || payment === 'authorized' || payment === 'refunded') return refuse('order-settled')
  return transactions.some(isPending) ? refuse('balance-pending') : undefined
}

/** Whether a transaction can be captured. */
export function mayCapture({ isCancelled }: OrderMoney, transaction: Transaction): Decision<Transaction> {
  if (!isAuthorized(transaction)) return refuse('not-capturable')
  return isCancelled ? refuse('order-cancelled') : { value: transaction }
}

/**
 * Returns the amount that is refunded in all after this refund. Without an amount, that is the whole transaction.
 */
export function startRefund(
  order: OrderMoney,
  transaction: Transaction,
  amount: number | undefined,
): Decision<number> {
  if (!isPaid(transaction) || transaction.type === 'refund') return refuse('not-refundable')
  const { payment } = paymentOf(order.total, order.transactions)
  if (!order.isCancelled && payment !== 'paid') return refuse('order-not-refundable')
  const rest = transaction.amount - transaction.refundedAmount
  if (amount === undefined) return { value: transaction.amount }
  const min = Math.min(1, rest)
  if (amount < min || amount > rest) return { refusal: { reason: 'amount-out-of-range', min, max: rest } }
  return { value: transaction.refundedAmount + amount }
}

/** Whether a transaction can be cancelled: one whose money has not been received. */
export const mayCancel = (transaction: Transaction): Decision<Transaction> =>
  isPending(transaction) || isAuthorized(transaction) ? { value: transaction } : refuse('not-cancellable')
