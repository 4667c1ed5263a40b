import type { Work } from '../../kernel/work/context.ts'
import { changeLocked } from '../../kernel/write/by-rules.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { carts } from './carts.ts'

/** Links a cart with the payment intent of a gateway; undefined if the cart no longer exists. */
export async function linkPaymentIntent(
  work: Work,
  cartId: string,
  intent: string,
): Promise<CartRow | undefined> {
  const [row] = await work.store.lockWhole(carts, [cartId])
  if (!row || row.doc.payment_intent_id === intent) return row
  return changeLocked(work, carts, row, { payment_intent_id: intent, links_payment: true })
}
