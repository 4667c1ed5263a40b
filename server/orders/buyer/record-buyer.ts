import type { Work } from '../../kernel/work/context.ts'
import { recordPayingShopper } from '../../promotions/index.ts'
import type { OrderRow } from '../order/orders.ts'

/** Records that the buyer of an order has paid, and is no longer a new shopper. */
export async function recordBuyer(work: Work, { id, doc, hidden }: OrderRow): Promise<void> {
  const { customer, contact } = doc.anonymized ? {} : doc
  const { customer_id: customerId, account_id: accountId } = hidden
  await recordPayingShopper(work, id, { customerId, accountId, email: (customer ?? contact)?.email })
}
