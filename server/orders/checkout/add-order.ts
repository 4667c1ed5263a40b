import type { New } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import type { Buyer } from '../buyer/buyer.ts'
import { insertContents, type OrderContents, rowValuesOf } from '../order/order-contents.ts'
import { type OrderFields, type OrderRow, orders } from '../order/orders.ts'
import { noStock } from '../order/stock-of-order.ts'
import { noPayments } from '../payment-state/payment-of.ts'

/** Stores a new order with its contents. Nothing of it is paid, and it has no stock. */
export async function addOrder(
  work: Work,
  id: string,
  { buyer, contents, values }: NewOrder,
): Promise<OrderRow> {
  const { customerId, accountId, accountMemberId, customer, contact } = buyer
  const row = await add(
    work,
    orders,
    [],
    {
      ...values,
      ...{ customer, contact },
      ...{ payments: noPayments, stock: noStock },
      ...{ customer_id: customerId, account_id: accountId, account_member_id: accountMemberId },
      ...rowValuesOf(contents),
    },
    id,
  )
  await insertContents(work.store, id, contents)
  return row
}

interface NewOrder {
  readonly buyer: Buyer
  readonly contents: OrderContents
  readonly values: Partial<New<OrderFields>>
}
