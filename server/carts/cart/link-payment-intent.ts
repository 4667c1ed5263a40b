import { changeThings } from '../../kernel/thing/change-thing.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { carts } from './carts.ts'

/** Links a cart with the payment intent of a gateway; undefined if the cart no longer exists. */
export async function linkPaymentIntent(
  work: Work,
  cartId: string,
  intent: string,
): Promise<CartRow | undefined> {
  const values = { payment_intent_id: intent, links_payment: true }
  const [cart] = await changeThings(work, carts, [cartId], async (found) =>
    found.map(({ doc }) => (doc.payment_intent_id === intent ? undefined : { values })),
  )
  return cart?.after
}
