import { notFound } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import type { Changes, New } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'
import { add, change } from '../kernel/write/by-rules.ts'
import { followFirstPayment, noStock, type OrderRow, orders } from '../orders/index.ts'
import { isAuthorized, isPaid, type OrderMoney, paymentOf, type Transaction } from '../payments/index.ts'
import { type TransactionFields, type TransactionRow, transactions } from './transactions.ts'

/** An order that no one else pays, changes or deletes until the transaction ends, with its payments. */
export interface LockedOrder {
  readonly order: OrderRow
  readonly money: OrderMoney
  /** By id, in the order of their creation. */
  readonly transactions: ReadonlyMap<string, Transaction>
}

/** Locks an order. Of two payments at once, the second sees what the first has left to pay. */
export async function lockOrder(work: Work, id: string): Promise<LockedOrder> {
  const { store } = work
  const isLocked = isId(id) && (await store.lock(orders, id)).size > 0
  // In another statement than the lock, which shows the order as it was before the wait.
  const order = isLocked ? await store.findWhole(orders, id) : undefined
  if (!order) throw notFound('order', id)
  const rows = await store.run(
    `SELECT id, doc->>'transaction_type', doc->>'status', doc->>'amount', doc->>'refunded_amount'
     FROM order_transactions WHERE store_id = $1 AND order_id = $2 ORDER BY created_at, id`,
    id,
  )
  const all = new Map(
    rows.map(([id, type, status, amount, refundedAmount]) => [
      id as string,
      { type, status, amount: Number(amount), refundedAmount: Number(refundedAmount) } as Transaction,
    ]),
  )
  return {
    order,
    transactions: all,
    money: {
      total: order.hidden.prices?.with_tax ?? 0,
      isCancelled: order.doc.status === 'cancelled',
      transactions: [...all.values()],
    },
  }
}

/** A transaction of a locked order. */
export function transactionOf({ transactions }: LockedOrder, id: string): Transaction {
  const transaction = transactions.get(id.toLowerCase())
  if (!transaction) throw notFound('transaction', id)
  return transaction
}

/** The transaction as its row stores it. */
export const stored = ({ type, status, amount, refundedAmount }: Transaction) => ({
  ...{ transaction_type: type, 'transaction-type': type, status, amount },
  refunded_amount: refundedAmount,
})

type Labels = Pick<New<TransactionFields>, 'reference' | 'gateway' | 'name' | 'custom_reference'>

/** Stores a new transaction, and what the order has come to with it. */
export async function settleNew(
  work: Work,
  locked: LockedOrder,
  transaction: Transaction,
  labels: Labels,
): Promise<TransactionRow> {
  const { order } = locked
  const notation = order.hidden.currency
  if (!notation) throw new Error('an order has a currency')
  const row = await add(work, transactions, [order.id], {
    ...labels,
    ...stored(transaction),
    ...{ currency: notation.code, notation },
  })
  await settleOrder(work, locked, transaction, new Map(locked.transactions).set(row.id, transaction))
  return row
}

/** Stores a changed transaction, and what the order has come to with it. */
export async function settleChange(
  work: Work,
  locked: LockedOrder,
  id: string,
  transaction: Transaction,
  labels: Changes<TransactionFields>,
): Promise<TransactionRow> {
  const changes = { ...labels, ...stored(transaction) }
  const row = await change(work, transactions, [locked.order.id], id, changes)
  await settleOrder(work, locked, transaction, new Map(locked.transactions).set(row.id, transaction))
  return row
}

/** Stores what an order has come to with one of its transactions. */
async function settleOrder(
  work: Work,
  { order, money: { total, isCancelled } }: LockedOrder,
  transaction: Transaction,
  all: ReadonlyMap<string, Transaction>,
): Promise<void> {
  const { stock = noStock, fully_paid_at: paidAt } = order.hidden
  const isFirst = stock.state === 'none' && !isCancelled && (isPaid(transaction) || isAuthorized(transaction))
  const { payment, status, paid, authorized, pending } = paymentOf(total, [...all.values()])
  await change(work, orders, [], order.id, {
    payment,
    ...(!isCancelled && { status }),
    payments: { paid, authorized, pending },
    stock: isFirst ? await followFirstPayment(work, order) : stock,
    ...(payment === 'paid' && { fully_paid_at: paidAt ?? work.clock.now().toISOString() }),
  })
}
