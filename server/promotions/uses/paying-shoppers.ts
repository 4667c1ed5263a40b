import type { Work } from '../../kernel/work/context.ts'
import type { DiscountShopper } from '../discounts/discount-cart.ts'
import { guestPrefix, type ShopperSql, shopperKeys, shopperKeysSql } from './shoppers.ts'

/**
 * Records by whom the first payment of an order is: a customer, an account, an email address, or several of them. In
 * the transaction of the payment.
 */
export async function recordPayingShopper(
  { store }: Work,
  orderId: string,
  shopper: DiscountShopper,
): Promise<void> {
  await store.later().run(
    `INSERT INTO paying_shoppers (store_id, shopper, order_id) SELECT $1, unnest($2::text[]), $3
     ON CONFLICT DO NOTHING`,
    shopperKeys(shopper),
    orderId,
  )
}

/** Whether the shopper has paid no order, under any of their names. Undefined where nothing identifies them. */
export async function isNewShopper({ store }: Work, shopper: DiscountShopper): Promise<boolean | undefined> {
  const keys = shopperKeys(shopper)
  if (!keys.length) return undefined
  const [row] = await store.read(
    'SELECT 1 FROM paying_shoppers WHERE store_id = $1 AND shopper = ANY($2::text[]) LIMIT 1',
    keys,
  )
  return !row
}

/** The SQL of whether a shopper has paid an order: see `isNewShopper`. */
export const hasPaidSql = (shopper: ShopperSql): string =>
  `EXISTS (SELECT FROM paying_shoppers p
     WHERE p.store_id = $1 AND p.shopper = ANY(${shopperKeysSql(shopper)}))`

/** Forgets the email addresses of orders. Their customers and accounts remain: they have ids. */
export async function forgetPayingGuests({ store }: Work, orderIds: readonly string[]): Promise<void> {
  await store.run(
    'DELETE FROM paying_shoppers WHERE store_id = $1 AND order_id = ANY($2::uuid[]) AND starts_with(shopper, $3)',
    orderIds,
    guestPrefix,
  )
}

/** Forgets all who paid an order that is deleted. */
export async function forgetPayingShoppers({ store }: Work, orderId: string): Promise<void> {
  await store.run('DELETE FROM paying_shoppers WHERE store_id = $1 AND order_id = $2', orderId)
}
