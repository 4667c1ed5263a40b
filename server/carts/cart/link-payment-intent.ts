import type { Work } from '../../kernel/work/context.ts'
import { changeLocked } from '../../kernel/write/by-rules.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { carts } from './carts.ts'

/** A payment intent, and what it cannot change any more. */
interface NewIntent {
  readonly id: string
  readonly gateway: string
  readonly method: 'purchase' | 'authorize'
}

/** Links a cart with the payment intent of a gateway; undefined if the cart no longer exists. */
export async function linkPaymentIntent(
  work: Work,
  cartId: string,
  { id, gateway, method }: NewIntent,
): Promise<CartRow | undefined> {
  const [row] = await work.store.lockWhole(carts, [cartId])
  if (!row || row.doc.payment_intent_id === id) return row
  const linked = { payment_intent_id: id, payment_gateway: gateway, payment_method: method }
  return changeLocked(work, carts, row, linked)
}
