import { columns, instant, number, optional, optionalText } from '../../kernel/storage/columns.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'

const paymentColumns = columns({
  reference: 'reference',
  gateway: ['gateway', (text) => text as GatewaySlug],
  method: ['method', optional((text) => text as 'purchase' | 'authorize')],
  cartId: 'cart_id',
  cart: 'cart',
  amount: ['amount', number],
  currency: 'currency',
  orderId: ['order_id', optionalText],
  pricedAt: instant('priced_at'),
})

/**
 * A payment that began with a cart, until an order records it as a transaction. The gateway calls it `reference`.
 * Payments of earlier versions do not say whether they are received at once or held. `cart` is the id that clients use,
 * `orderId` the order that the cart has become, and at `pricedAt` it got its amount.
 */
export type CartPayment = ReturnType<typeof paymentColumns.read>

export async function findCartPayment({ store }: Work, reference: string): Promise<CartPayment | undefined> {
  const [row] = await store.run(
    `SELECT ${paymentColumns.sql} FROM cart_payments WHERE store_id = $1 AND reference = $2`,
    reference,
  )
  return row && paymentColumns.read(row)
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
       SELECT FROM carts c WHERE c.store_id = $1 AND c.id = p.cart_id
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

const unclaimedColumns = columns({
  ...{ id: 'cart_id', cart_id: 'cart', gateway: 'gateway', reference: 'reference' },
  amount: ['held', number],
  currency: 'currency',
  since: instant('held_since'),
})

/** Payments whose money no order has, the oldest first. */
export async function findUnclaimed({ store, clock }: Work, most: number) {
  const rows = await store.run(
    `SELECT ${unclaimedColumns.sql} FROM cart_payments
     WHERE store_id = $1 AND held_since < $2 AND order_id IS NULL ORDER BY held_since LIMIT $3`,
    new Date(clock.now().getTime() - checkoutMaxMs),
    most,
  )
  return rows.map((row) => {
    const { since, ...payment } = unclaimedColumns.read(row)
    return { type: 'open_payment', ...payment, reason: 'no_order', since }
  })
}
