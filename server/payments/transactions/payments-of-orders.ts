import type { Portion } from '../../assortment/index.ts'
import { columns, number, optional } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { OrderMoney, Transaction, WholeOrder } from '../../orders/index.ts'

/** An order that no one else pays, changes or deletes until the transaction ends, with its payments. */
export interface LockedOrder {
  readonly order: WholeOrder
  readonly money: OrderMoney
  /** By id, in the order of their creation. */
  readonly transactions: ReadonlyMap<string, Transaction>
  /** The stock that its items take, if it was read with the lock. */
  readonly portions?: readonly Portion[] | undefined
}

const columnsOfPayment = columns({
  id: 'id',
  type: ["doc->>'transaction_type'", (text) => text as Transaction['type']],
  status: ["doc->>'status'", (text) => text as Transaction['status']],
  amount: ["doc->>'amount'", number],
  refundedAmount: ["doc->>'refunded_amount'", number],
  failedRefundAmount: ["doc->>'failed_refund_amount'", optional(number)],
  receivedAs: ["hidden->>'received_as'", optional((text) => text as 'purchase' | 'capture')],
})

/** The payments of an order. The statement of its lock would show them as they were before its wait. */
export async function paymentsOf({ store }: Work, orderId: string): Promise<LockedOrder['transactions']> {
  const rows = await store.run(
    `SELECT ${columnsOfPayment.sql} FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 ORDER BY created_at, id`,
    orderId,
  )
  return new Map(rows.map(columnsOfPayment.read).map(({ id, ...transaction }) => [id, transaction]))
}

/** The payments of locked orders, by the ids of the orders. */
export async function readPayments(
  work: Work,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Transaction[]>> {
  const rows = await work.store.run(
    `SELECT ${columnsOfPayment.sql}, order_id FROM order_transactions
     WHERE store_id = $1 AND order_id = ANY($2::uuid[]) ORDER BY created_at, id`,
    orderIds,
  )
  const ofOrders = Map.groupBy(rows, (row) => row[columnsOfPayment.count] as string)
  return new Map([...ofOrders].map(([id, own]) => [id, own.map(columnsOfPayment.read)]))
}

/** What payments need to know about an order. */
export const moneyOf = ({ doc, hidden }: WholeOrder, transactions: readonly Transaction[]): OrderMoney => ({
  total: hidden.prices.with_tax,
  isCancelled: doc.status === 'cancelled',
  transactions,
})
