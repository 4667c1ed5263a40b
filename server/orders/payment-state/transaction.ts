/** What a transaction did last. A setup waits for the shopper to choose how to pay. */
export const transactionTypes = [
  'purchase',
  'authorize',
  'capture',
  'refund',
  'purchase-setup',
  'authorize-setup',
] as const
export type TransactionType = (typeof transactionTypes)[number]

export const transactionStatuses = ['pending', 'complete', 'failed', 'cancelled'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** What a payment of an order has come to. Its capture and its refunds change the same transaction. */
export interface Transaction {
  readonly type: TransactionType
  readonly status: TransactionStatus
  /** In the smallest unit of the currency, as all amounts. */
  readonly amount: number
  /** How much of the amount is refunded. */
  readonly refundedAmount: number
  /** How much was to be refunded and came back, as banks did not take it. It is not in the refunded amount. */
  readonly failedRefundAmount?: number | undefined
  /** What it was before all of it was refunded. */
  readonly receivedAs?: 'purchase' | 'capture' | undefined
}

/** How a payment begins, as clients write it. */
export const paymentMethods = ['purchase', 'authorize', 'purchase_setup', 'authorize_setup'] as const
export type PaymentMethod = (typeof paymentMethods)[number]

/** A transaction before its gateway was called. */
export const newTransaction = (method: PaymentMethod, amount: number): Transaction => ({
  type: method.replace('_', '-') as TransactionType,
  status: 'pending',
  amount,
  refundedAmount: 0,
})
