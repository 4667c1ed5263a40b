import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Changes, New } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add, change, changeLocked } from '../../kernel/write/by-rules.ts'
import {
  noStock,
  type OrderStock,
  orders,
  paymentOf,
  recordBuyer,
  type Transaction,
  type WholeOrder,
} from '../../orders/index.ts'
import type { GatewayPayment } from '../rules/gateway-payment.ts'
import { reasonForShoppers } from '../rules/reason.ts'
import type { OrderMoney } from '../rules/requests.ts'
import { concernAfter } from './concerns.ts'
import { hasMoney, isCounted, stockAfter, stockOrShortage } from './stock-of-payments.ts'
import { recordBeginning } from './transaction-events.ts'
import { type TransactionFields, type TransactionRow, transactions } from './transactions.ts'

/** An order that no one else pays, changes or deletes until the transaction ends, with its payments. */
export interface LockedOrder {
  readonly order: WholeOrder
  readonly money: OrderMoney
  /** By id, in the order of their creation. */
  readonly transactions: ReadonlyMap<string, Transaction>
}

/** Locks an order. Of two payments at once, the second sees what the first has left to pay. */
export async function lockOrder(work: Work, id: string): Promise<LockedOrder> {
  const locked = await lockOrderIfAny(work, id)
  if (!locked) throw notFound('order', id)
  return locked
}

/** As `lockOrder`; undefined if there is no such order. */
export async function lockOrderIfAny(work: Work, id: string): Promise<LockedOrder | undefined> {
  const { store } = work
  const [order] = isId(id) ? await store.lockWhole(orders, [id]) : []
  if (!order) return undefined
  // In another statement than the lock, which would show them as they were before the wait.
  const rows = await store.run(
    `SELECT id, doc->>'transaction_type', doc->>'status', doc->>'amount', doc->>'refunded_amount',
       doc->>'failed_refund_amount', hidden->>'received_as'
     FROM order_transactions WHERE store_id = $1 AND order_id = $2 ORDER BY created_at, id`,
    id,
  )
  const all = new Map(
    rows.map(([id, type, status, amount, refundedAmount, failedRefundAmount, receivedAs]) => [
      id as string,
      {
        ...{ type, status, amount: Number(amount), refundedAmount: Number(refundedAmount) },
        ...(failedRefundAmount && { failedRefundAmount: Number(failedRefundAmount) }),
        ...(receivedAs && { receivedAs }),
      } as Transaction,
    ]),
  )
  return {
    order,
    transactions: all,
    money: moneyOf(order, [...all.values()]),
  }
}

/** What payments need to know about an order. */
export const moneyOf = ({ doc, hidden }: WholeOrder, transactions: readonly Transaction[]): OrderMoney => ({
  total: hidden.prices.with_tax,
  isCancelled: doc.status === 'cancelled',
  transactions,
})

/** A transaction of a locked order. */
export function transactionOf({ transactions }: LockedOrder, id: string): Transaction {
  const transaction = transactions.get(id.toLowerCase())
  if (!transaction) throw notFound('transaction', id)
  return transaction
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
export function paymentIn({ doc, hidden }: TransactionRow, transaction: Transaction): GatewayPayment {
  const { merchant_failure: ofMerchant, excess } = hidden
  return {
    ...{
      transaction,
      excess,
      reference: doc.reference,
      detailedStatus: doc.payment_details?.detailed_status,
    },
    failure: ofMerchant ? { ...ofMerchant, isForMerchant: true } : doc.failure_details,
  }
}

type Labels = Pick<
  New<TransactionFields>,
  'gateway' | 'name' | 'custom_reference' | 'request_key' | 'is_form' | 'form_payment'
>

/**
 * Stores a new transaction, and what the order has come to with it. One that receives or holds money, or for which a
 * gateway is about to be asked (`isCharged`), allocates the stock of the order, or is refused.
 */
export async function settleNew(
  work: Work,
  locked: LockedOrder,
  payment: GatewayPayment,
  labels: Labels,
  isCharged = false,
): Promise<TransactionRow> {
  const { order } = locked
  const notation = order.hidden.currency
  const row = await add(work, transactions, [order.id], {
    ...labels,
    ...storedValuesOf(payment),
    ...{ currency: notation.code, notation },
  })
  await recordBeginning(work, row.id, payment)
  const all = new Map(locked.transactions).set(row.id, payment.transaction)
  await settleOrder(work, locked, all, await stockAfter(work, locked, all, isCharged))
  return row
}

/**
 * Stores a changed transaction, and what the order has come to with it. What a gateway has done cannot be refused any
 * more: where it is not as it should be, the transaction is a concern of the merchant.
 */
export async function settleChange(
  work: Work,
  locked: LockedOrder,
  row: TransactionRow,
  payment: GatewayPayment,
  { labels, isEnded }: { readonly labels: Changes<TransactionFields>; readonly isEnded: boolean },
): Promise<TransactionRow> {
  const before = locked.transactions.get(row.id)
  const { transaction, excess } = payment
  const all = new Map(locked.transactions).set(row.id, transaction)
  const stock = await stockOrShortage(work, locked, all, row.id)
  const concern = concernAfter(row.hidden.concern, {
    hasMoney: hasMoney(transaction),
    isNew: !before || !hasMoney(before),
    isCancelled: locked.money.isCancelled,
    isShort: !stock,
    isEnded,
    failsRefund: (transaction.failedRefundAmount ?? 0) > (before?.failedRefundAmount ?? 0),
    refundsMore: transaction.refundedAmount > (before?.refundedAmount ?? 0),
    isOverpaid: (excess?.open ?? 0) > 0,
  })
  const written = await change(work, transactions, [locked.order.id], row.id, {
    ...{ concern, ...labels },
    ...storedValuesOf(payment),
  })
  await settleOrder(work, locked, all, stock ?? noStock)
  return written
}

/** Stores what an order has come to with its transactions. */
async function settleOrder(
  work: Work,
  { order, transactions: before, money: { total, isCancelled } }: LockedOrder,
  all: ReadonlyMap<string, Transaction>,
  stock: OrderStock,
): Promise<void> {
  const isFirst = ![...before.values()].some(isCounted) && [...all.values()].some(isCounted)
  if (isFirst) await recordBuyer(work, order)
  const { fully_paid_at: paidAt } = order.hidden
  const { payment, status, paid, authorized, pending } = paymentOf(total, [...all.values()])
  const settled = await changeLocked(work, orders, order, {
    payment,
    ...(!isCancelled && { status }),
    payments: { paid, authorized, pending },
    stock,
    ...(payment === 'paid' && { fully_paid_at: paidAt ?? work.clock.now().toISOString() }),
  })
  // Each payment is news of its order, also one that leaves its sums: a refund of a part.
  if (settled.version === order.version) await work.store.touch(orders, order.id)
}
