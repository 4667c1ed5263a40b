import type { Work } from '../../kernel/work/context.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'

/** A payment that began with a cart, until an order records it as a transaction. */
export interface CartPayment {
  /** What the gateway calls it. */
  readonly reference: string
  readonly gateway: GatewaySlug
  /** Whether it is received at once or held. Absent in payments of earlier versions. */
  readonly method: 'purchase' | 'authorize' | undefined
  readonly cartId: string
  /** The id of the cart that clients use. */
  readonly cart: string
  readonly amount: number
  readonly currency: string
  /** The order that the cart has become. */
  readonly orderId: string | undefined
  /** When it got its amount. */
  readonly pricedAt: string
}

export async function findCartPayment({ store }: Work, reference: string): Promise<CartPayment | undefined> {
  const [row] = await store.run(
    `SELECT gateway, method, cart_id, cart, amount, currency, order_id, extract(epoch FROM priced_at) * 1000
     FROM cart_payments WHERE store_id = $1 AND reference = $2`,
    reference,
  )
  if (!row) return undefined
  const [gateway, method, cartId, cart, amount, currency, orderId, pricedAtMs] = row
  return {
    reference,
    ...{ gateway: gateway as GatewaySlug, method: (method ?? undefined) as CartPayment['method'] },
    ...{ cartId: cartId as string, cart: cart as string, orderId: orderId ?? undefined },
    ...{ amount: Number(amount), currency: currency as string },
    pricedAt: new Date(Number(pricedAtMs)).toISOString(),
  }
}

type NewCartPayment = Omit<CartPayment, 'orderId' | 'pricedAt'>

export async function insertCartPayment({ store, clock }: Work, payment: NewCartPayment): Promise<void> {
  const { reference, gateway, method, cartId, cart, amount, currency } = payment
  await store.run(
    `INSERT INTO cart_payments (store_id, reference, gateway, method, cart_id, cart, amount, currency, priced_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    ...[reference, gateway, method, cartId, cart, amount, currency, clock.now()],
  )
}

/** The gateway has given it another amount. */
export async function repriceCartPayment(
  { store, clock }: Work,
  reference: string,
  { amount, currency }: Pick<CartPayment, 'amount' | 'currency'>,
): Promise<void> {
  await store.run(
    'UPDATE cart_payments SET amount = $3, currency = $4, priced_at = $5 WHERE store_id = $1 AND reference = $2',
    ...[reference, amount, currency, clock.now()],
  )
}

/** Gives it to the order that the cart has become. Returns its gateway. */
export async function moveCartPayment(
  { store }: Work,
  reference: string,
  orderId: string,
): Promise<GatewaySlug | undefined> {
  const [row] = await store.run(
    'UPDATE cart_payments SET order_id = $3 WHERE store_id = $1 AND reference = $2 RETURNING gateway',
    reference,
    orderId,
  )
  return row?.[0] as GatewaySlug | undefined
}

/** Keeps how much the gateway has received or holds, and has not returned, while there is no order. */
export async function recordMoneyOfCart({ store, clock }: Work, reference: string, held: number) {
  await store.run(
    `UPDATE cart_payments SET held = nullif($3::bigint, 0),
       held_since = CASE WHEN $3::bigint > 0 THEN coalesce(held_since, $4::timestamptz) END
     WHERE store_id = $1 AND reference = $2 AND coalesce(held, 0) <> $3::bigint`,
    ...[reference, held, clock.now()],
  )
}

/** Forgets a payment that neither a cart nor an order has any more. Returns whether it is one. */
export async function deleteUnlinked({ store }: Work, reference: string): Promise<boolean> {
  const rows = await store.run(
    `DELETE FROM cart_payments p WHERE store_id = $1 AND reference = $2 AND order_id IS NULL AND NOT EXISTS (
       SELECT FROM carts c WHERE c.store_id = p.store_id AND c.id = p.cart_id
         AND c.doc->>'payment_intent_id' = p.reference)
     RETURNING 1`,
    reference,
  )
  return rows.length > 0
}

export async function deleteCartPayment({ store }: Work, reference: string): Promise<void> {
  await store.run('DELETE FROM cart_payments WHERE store_id = $1 AND reference = $2', reference)
}

/** A shopper who has paid is about to check out. */
export const checkoutMaxMs = 10 * 60_000

/** Payments whose money no order has, the oldest first. */
export async function findUnclaimed({ store, clock }: Work, most: number) {
  const rows = await store.run(
    `SELECT cart_id, cart, gateway, reference, held, currency, extract(epoch FROM held_since) * 1000
     FROM cart_payments WHERE store_id = $1 AND held_since < $2 AND order_id IS NULL ORDER BY held_since LIMIT $3`,
    new Date(clock.now().getTime() - checkoutMaxMs),
    most,
  )
  return rows.map(([id, cart, gateway, reference, amount, currency, sinceMs]) => ({
    ...{ type: 'open_payment', id, cart_id: cart, gateway, reference, amount: Number(amount), currency },
    ...{ reason: 'no_order', since: new Date(Number(sinceMs)).toISOString() },
  }))
}
