import { findAll } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { customerResource } from '../../people/index.ts'
import {
  type DiscountShopper,
  type EnteredCode,
  findEnteredCodes,
  isNewShopper,
} from '../../promotions/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'

/** The codes with these texts, and the person who uses them: the buyer at a checkout, otherwise the cart's shopper. */
export async function findCodes(
  work: Work,
  cart: CartValues,
  texts: readonly string[],
  buyer?: DiscountShopper,
): Promise<{ readonly codes: readonly EnteredCode[]; readonly shopper: DiscountShopper }> {
  const shopper = buyer ?? (await codeShopperOf(work, cart, texts.length > 0))
  const codes = texts.length ? await findEnteredCodes(work, texts, shopper) : []
  // Only these codes depend on it.
  const isNew = codes.some((code) => code.isForNewShopper) ? await isNewShopper(work, shopper) : undefined
  return { codes, shopper: { ...shopper, isNew } }
}

/** The shopper of a cart. Their address is looked up only if there are codes. */
async function codeShopperOf(
  work: Work,
  { customers = [], accounts = [], contact }: CartValues,
  hasCodes: boolean,
): Promise<DiscountShopper> {
  const [customerId] = customers
  const [accountId] = accounts
  const [customer] = hasCodes && customerId ? await findAll(work, customerResource, [customerId]) : []
  return { customerId, accountId, email: customer?.doc.email ?? (contact?.email || undefined) }
}
