import { customerResource } from '../customers/index.ts'
import type { Shopper } from '../discounts/index.ts'
import { findAll } from '../kernel/query/find.ts'
import type { Work } from '../kernel/work/context.ts'
import type { CartValues } from './cart-shop.ts'

/** The person who uses the codes of a cart. Their address is looked up only if there are codes. */
export async function codeShopperOf(
  work: Work,
  { customers = [], accounts = [], contact }: CartValues,
  hasCodes: boolean,
): Promise<Shopper> {
  const [customerId] = customers
  const [accountId] = accounts
  const [customer] = hasCodes && customerId ? await findAll(work, customerResource, [customerId]) : []
  const email = customer?.doc.email ?? (contact?.email || undefined)
  const isKnown = customerId !== undefined || accountId !== undefined || email !== undefined
  // There are no orders yet, so nobody has paid one.
  return { customerId, accountId, email, isNew: isKnown || undefined }
}
