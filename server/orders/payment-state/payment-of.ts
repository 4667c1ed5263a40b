import type { Transaction } from './transaction.ts'
import { isAuthorized, isPaid, isPending } from './transaction-states.ts'

export const paymentStates = [
  'unpaid',
  'partially_authorized',
  'authorized',
  'partially_paid',
  'paid',
  'refunded',
] as const
export type PaymentState = (typeof paymentStates)[number]

/** What an order's payments have collected, may still collect, and are waiting for. */
export interface PaymentSums {
  /** What the merchant has received. A refund does not lower it. */
  readonly paid: number
  /** What is held for the merchant, or may be: the authorizations that are complete, and those that are pending. */
  readonly authorized: number
  /** What the pending purchases may pay. */
  readonly pending: number
}

/** The sums of an order before its first payment. */
export const noPayments: PaymentSums = { paid: 0, authorized: 0, pending: 0 }

/** What another payment can pay. */
export const balanceOf = (total: number, { paid, authorized, pending }: PaymentSums): number =>
  total - paid - authorized - pending

/** What the payment of an order depends on. */
export interface OrderMoney {
  readonly total: number
  readonly isCancelled: boolean
  readonly transactions: readonly Transaction[]
}

/** What the transactions of an order have come to. */
export interface Payment extends PaymentSums {
  readonly payment: PaymentState
  /** The status of the order, unless it is cancelled. */
  readonly status: 'incomplete' | 'processing' | 'complete'
  readonly balanceOwing: number
}

const sumOf = (transactions: readonly Transaction[]): number =>
  transactions.reduce((sum, { amount }) => sum + amount, 0)

/** The payment of an order, from its total and its transactions alone. */
export function paymentOf(total: number, transactions: readonly Transaction[]): Payment {
  const received = transactions.filter(isPaid)
  const held = transactions.filter(isAuthorized)
  const open = transactions.filter(isPending)
  const awaited = sumOf(open.filter(({ type }) => type.startsWith('authorize')))
  const pending = sumOf(open) - awaited
  const paid = sumOf(received)
  const authorized = sumOf(held) + awaited
  const payment = stateOf(total, received, held)
  const isCovered = received.length + held.length > 0 && paid + sumOf(held) >= total
  return {
    payment,
    status: !isCovered ? 'incomplete' : held.length ? 'processing' : 'complete',
    ...{ paid, authorized, pending, balanceOwing: balanceOf(total, { paid, authorized, pending }) },
  }
}

function stateOf(
  total: number,
  received: readonly Transaction[],
  held: readonly Transaction[],
): PaymentState {
  if (received.length && !held.length && received.every(({ type }) => type === 'refund')) return 'refunded'
  if (!received.length && !held.length) return 'unpaid'
  if (sumOf(received) + sumOf(held) >= total) return held.length ? 'authorized' : 'paid'
  return received.length ? 'partially_paid' : 'partially_authorized'
}
