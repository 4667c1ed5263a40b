import { lockThing } from '../../kernel/thing/change-thing.ts'
import type { Work } from '../../kernel/work/context.ts'
import { changeLocked } from '../../kernel/write/by-rules.ts'
import { type Cart, cartWith, valuesOf } from '../contents/cart-fields.ts'
import { mustBeOwnerOf } from '../contents/owners.ts'
import { priceCart } from '../pricing/price-cart.ts'
import { carts } from './carts.ts'

/** Locks the cart of an order until the transaction ends; undefined if it does not exist, as nobody has written it. */
export async function lockCart(work: Work, name: string): Promise<Cart | undefined> {
  const row = await lockThing(work, carts, name)
  mustBeOwnerOf(work, row)
  return row && cartWith(row, row.inside)
}

/**
 * Takes from a cart what its order now has: its shipping groups and its payment intent. Its items stay. Returns the
 * cart as it is then. It is no deed of its own: the checkout has the lock, and the order stores the version that the
 * cart has after this write, while a deed ends before its write.
 */
export async function handOver(work: Work, cart: Cart): Promise<Cart> {
  const { contents } = cart.inside
  if (!contents.shippingGroups.length && cart.doc.payment_intent_id === undefined) return cart
  const lines = contents.lines.map(({ shippingGroupId: _, ...line }) => line)
  const left = await priceCart(work, {
    ...valuesOf(cart),
    contents: { ...contents, lines, shippingGroups: [] },
  })
  const inside = { contents: left.contents, priced: left.priced }
  return changeLocked(work, carts, cart, () => ({ payment_intent_id: '' }), { inside })
}
