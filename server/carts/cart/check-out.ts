import { findId } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { changeLocked } from '../../kernel/write/by-rules.ts'
import { type CartRow, contentsOf } from '../contents/cart-fields.ts'
import { mustBeOwnerOf } from '../contents/owners.ts'
import { carts } from './carts.ts'
import { parseCart } from './find-cart.ts'

/** Locks the cart of an order until the transaction ends; undefined if it does not exist, as nobody has written it. */
export async function lockCart(work: Work, name: string): Promise<CartRow | undefined> {
  const id = await findId(work, carts, [], name)
  const [row] = id ? await work.store.lockWhole(carts, [id]) : []
  if (!row) return undefined
  mustBeOwnerOf(work, row)
  return parseCart(row)
}

/**
 * Takes from a cart what its order now has: its shipping groups and its payment intent. Its items stay. Returns the
 * cart as it is then.
 */
export async function handOver(work: Work, cart: CartRow): Promise<CartRow> {
  const contents = contentsOf(cart)
  if (!contents.shippingGroups.length && cart.doc.payment_intent_id === undefined) return cart
  const lines = contents.lines.map(({ shippingGroupId: _, ...line }) => line)
  return changeLocked(work, carts, cart, {
    contents: { ...contents, lines, shippingGroups: [] },
    payment_intent_id: '',
  })
}
