import type { Work } from '../../kernel/work/context.ts'

/** A cart at an instant, and the order that it had become by then without a change since. */
export interface CartMoment {
  readonly cartId: string
  readonly cartVersion?: number
  readonly orderId?: string | undefined
}

/** The order that a cart has become since; undefined if there is none. The caller has locked the cart. */
export async function findOrderSince(
  { store }: Work,
  { cartId, cartVersion, orderId }: CartMoment,
): Promise<string | undefined> {
  if (cartVersion === undefined) return undefined
  const rows = await store.run(
    'SELECT id FROM orders WHERE store_id = $1 AND cart_id = $2 AND cart_version >= $3 LIMIT 2',
    cartId,
    cartVersion,
  )
  return rows.map(([id]) => id as string).find((id) => id !== orderId)
}
