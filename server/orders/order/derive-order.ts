import type { Changes } from '../../kernel/shape/fields.ts'
import { type OrderMoney, paymentOf } from '../payment-state/payment-of.ts'
import { type OrderContents, rowValuesOf } from './order-contents.ts'
import type { OrderFields, OrderRow } from './orders.ts'

/** The row of an order follows from its contents and its payments. Nothing else works out these values. */

/** The values that follow from what an order costs and from its payments. */
export function paymentValuesOf(
  { total, isCancelled, transactions }: OrderMoney,
  paidAt: string | undefined,
  now: Date,
) {
  const { payment, status, paid, authorized, pending } = paymentOf(total, transactions)
  return {
    ...{ payment, payments: { paid, authorized, pending } },
    ...(!isCancelled && { status }),
    ...(payment === 'paid' && { fully_paid_at: paidAt ?? now.toISOString() }),
  } satisfies Changes<OrderFields>
}

/** The values of an order with other contents: what they show, and what its payments come to at their total. */
export function orderValuesOf(
  { doc, hidden }: Pick<OrderRow, 'doc' | 'hidden'>,
  contents: OrderContents,
  transactions: OrderMoney['transactions'],
  now: Date,
) {
  const values = rowValuesOf(contents)
  const money = { total: values.with_tax, isCancelled: doc.status === 'cancelled', transactions }
  return { ...values, ...paymentValuesOf(money, hidden.fully_paid_at, now) }
}
