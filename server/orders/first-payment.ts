import type { Work } from '../kernel/work/context.ts'
import { recordPayingShopper } from '../promotion-codes/index.ts'
import type { OrderRow } from './orders.ts'
import { allocateStock, type OrderStock } from './stock-of-order.ts'

/**
 * What follows from the first payment that receives or holds money: the buyer is no longer a new shopper, and the order
 * has its stock, or the payment is refused (400). The caller has locked the order.
 */
export async function followFirstPayment(work: Work, order: OrderRow): Promise<OrderStock> {
  await recordBuyer(work, order)
  return allocateStock(work, order.id)
}

/** Records that the buyer of an order has paid. */
export async function recordBuyer(work: Work, { id, doc, hidden }: OrderRow): Promise<void> {
  const { customer, contact } = doc.anonymized ? {} : doc
  const { customer_id: customerId, account_id: accountId } = hidden
  await recordPayingShopper(work, id, { customerId, accountId, email: (customer ?? contact)?.email })
}
