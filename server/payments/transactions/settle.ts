import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Changes, New } from '../../kernel/shape/fields.ts'
import { changeThings } from '../../kernel/thing/change-thing.ts'
import type { Work } from '../../kernel/work/context.ts'
import { addCounted, changeLocked } from '../../kernel/write/by-rules.ts'
import {
  awaitStockOf,
  awaitStockOfLocked,
  noStock,
  type OrderFields,
  type OrderStock,
  orders,
  paymentValuesOf,
  recordBuyer,
  type Transaction,
} from '../../orders/index.ts'
import type { GatewayPayment } from '../rules/gateway-payment.ts'
import { reasonForShoppers } from '../rules/reason.ts'
import { concernAfter } from './concerns.ts'
import { type LockedOrder, moneyOf, paymentsOf } from './payments-of-orders.ts'
import { hasMoney, isCounted, stockAfter, stockOrShortage } from './stock-of-payments.ts'
import { recordBeginning } from './transaction-events.ts'
import {
  type TransactionFields,
  type TransactionRow,
  transactions,
  type WholeTransaction,
} from './transactions.ts'

/** What has become of the payments of an order, and the values of the order that follow from them. */
export interface SettledOrder<T> {
  readonly result: T
  readonly values?: Changes<OrderFields> | undefined
  /** What is done when the order is written, as others wait for it. A Problem refuses all. */
  readonly last?: (() => Promise<void>) | undefined
}

interface PaymentChange<T, R> {
  readonly deed: (locked: LockedOrder, read: R) => Promise<SettledOrder<T>>
  /** What else the deed needs, which is read in the message of the lock. */
  readonly read: () => Promise<R> | R
  /** The result where there is no such order. Default: a Problem (404). */
  readonly ifNone?: () => T
}

/**
 * Changes the payments of an order, and the order with them, for everyone who knows its id. Of two payments at once,
 * the second sees what the first has left to pay.
 */
export const changePayments = <T>(
  work: Work,
  orderId: string,
  deed: PaymentChange<T, void>['deed'],
  ifNone?: () => T,
): Promise<T> => changePaymentsBy(work, orderId, { deed, read: () => {}, ...(ifNone && { ifNone }) })

/** As `changePayments`, with a deed that reads more. */
export async function changePaymentsBy<T, R>(
  work: Work,
  orderId: string,
  { deed, read, ifNone }: PaymentChange<T, R>,
): Promise<T> {
  const refuse = (): T => {
    if (ifNone) return ifNone()
    throw notFound('order', orderId)
  }
  if (!isId(orderId)) return refuse()
  await awaitStockOf(work, orderId)
  const [changed] = await changeThings(
    work,
    orders,
    [orderId],
    async ([order], [transactions, more]) => {
      if (!order) return []
      awaitStockOfLocked(work, order)
      const money = moneyOf(order, [...transactions.values()])
      return [await deed({ order, transactions, money }, more)]
    },
    () => Promise.all([paymentsOf(work, orderId), read()]),
  )
  if (!changed) return refuse()
  const { before, after, outcome } = changed
  // Each payment is news of its order, also one that leaves its sums: a refund of a part.
  if (outcome.values && after === before) await work.store.touch(orders, before.id)
  await outcome.last?.()
  return outcome.result
}

/** The payment as its row stores it. */
export const storedValuesOf = ({
  transaction,
  reference,
  detailedStatus,
  failure,
  excess,
}: GatewayPayment) => {
  const { type, status, amount, refundedAmount, failedRefundAmount, receivedAs } = transaction
  return {
    ...{ transaction_type: type, 'transaction-type': type, status, amount },
    refunded_amount: refundedAmount,
    ...(failedRefundAmount !== undefined && { failed_refund_amount: failedRefundAmount }),
    ...(receivedAs !== undefined && { received_as: receivedAs }),
    ...(reference !== undefined && { reference }),
    ...(detailedStatus !== undefined && { payment_details: { detailed_status: detailedStatus } }),
    // Shoppers read their transactions, too.
    ...(failure && { failure_details: reasonForShoppers(failure) }),
    ...(failure?.isForMerchant && { merchant_failure: { code: failure.code, reason: failure.reason } }),
    ...(excess && { excess }),
  }
}

/** The payment that a row stores. */
export function paymentIn({ doc, hidden }: WholeTransaction): GatewayPayment {
  const { merchant_failure: ofMerchant, excess } = hidden
  return {
    transaction: {
      ...{ type: doc.transaction_type, status: doc.status, amount: doc.amount },
      ...{ refundedAmount: doc.refunded_amount, failedRefundAmount: doc.failed_refund_amount },
      receivedAs: hidden.received_as,
    },
    ...{ excess, reference: doc.reference, detailedStatus: doc.payment_details?.detailed_status },
    failure: ofMerchant ? { ...ofMerchant, isForMerchant: true } : doc.failure_details,
  }
}

type Labels = Pick<
  New<TransactionFields>,
  'gateway' | 'name' | 'custom_reference' | 'request_key' | 'is_form' | 'form_payment'
>

/**
 * Stores a new transaction. One that receives or holds money, or for which a gateway is about to be asked
 * (`isCharged`), allocates the stock of the order, or is refused.
 */
export async function settleNew(
  work: Work,
  locked: LockedOrder,
  payment: GatewayPayment,
  labels: Labels,
  isCharged = false,
): Promise<SettledOrder<TransactionRow>> {
  const { order } = locked
  const notation = order.hidden.currency
  const values = { ...labels, ...storedValuesOf(payment), currency: notation.code, notation }
  const row = await addCounted(work, transactions, [order.id], values, locked.transactions.size)
  await recordBeginning(work, row.id, payment)
  const all = new Map(locked.transactions).set(row.id, payment.transaction)
  const { stock, take } = await stockAfter(work, locked, all, isCharged)
  return { result: row, values: await valuesAfter(work, locked, all, stock), last: take }
}

/**
 * Stores a changed transaction. What a gateway has done cannot be refused any more: where it is not as it should be,
 * the transaction is a concern of the merchant.
 */
export async function settleChange(
  work: Work,
  locked: LockedOrder,
  row: WholeTransaction,
  payment: GatewayPayment,
  { labels, isEnded }: { readonly labels: Changes<TransactionFields>; readonly isEnded: boolean },
): Promise<SettledOrder<TransactionRow>> {
  const before = paymentIn(row).transaction
  const { transaction, excess } = payment
  const all = new Map(locked.transactions).set(row.id, transaction)
  const stock = await stockOrShortage(work, locked, all, row.id)
  const concern = concernAfter(row.hidden.concern, {
    hasMoney: hasMoney(transaction),
    isNew: !hasMoney(before),
    isCancelled: locked.money.isCancelled,
    isShort: !stock,
    isEnded,
    failsRefund: failedRefunds(transaction) > failedRefunds(before),
    refundsMore: transaction.refundedAmount > before.refundedAmount,
    isOverpaid: excess !== undefined && excess.open > 0,
  })
  const changes = { concern, ...labels, ...storedValuesOf(payment) }
  const result = await changeLocked(work, transactions, row, () => changes)
  return { result, values: await valuesAfter(work, locked, all, stock ?? noStock) }
}

const failedRefunds = ({ failedRefundAmount = 0 }: Transaction): number => failedRefundAmount

/** What an order has come to with its transactions. */
async function valuesAfter(
  work: Work,
  { order, transactions: before, money: { total, isCancelled } }: LockedOrder,
  all: ReadonlyMap<string, Transaction>,
  stock: OrderStock,
): Promise<Changes<OrderFields>> {
  const isFirst = ![...before.values()].some(isCounted) && [...all.values()].some(isCounted)
  if (isFirst) await recordBuyer(work, order)
  const money = { total, isCancelled, transactions: [...all.values()] }
  return { stock, ...paymentValuesOf(money, order.hidden.fully_paid_at, work.clock.now()) }
}
