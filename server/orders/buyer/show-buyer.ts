import { actsAsSeller } from '../../kernel/auth/principal.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { OrderRow } from '../order/orders.ts'

/**
 * Whether the caller may read whom the order names. Anyone may order for a customer whose id they know; only that
 * customer and sellers learn the name and the address that belong to the id.
 */
export const showsBuyerTo = ({ who }: Work, { hidden: { customer_id: customerId } }: OrderRow): boolean =>
  actsAsSeller(who) || customerId === undefined || who.shopper?.id === customerId

/** The order without the name and the email address of its customer. */
export function withoutBuyer(row: OrderRow): OrderRow {
  const { id, version, createdAt, updatedAt, scope, added, written, hidden } = row
  const doc = { ...row.doc, customer: undefined }
  const text = JSON.stringify({ ...JSON.parse(row.text), customer: undefined })
  return { ...{ id, version, createdAt, updatedAt, scope, added, written, hidden }, text, doc }
}
