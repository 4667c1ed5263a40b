import { caseless } from '../../kernel/storage/expressions.ts'
import type { DiscountShopper } from '../discounts/discount-cart.ts'

export const guestPrefix = 'email:'

/** What the uses of a shopper are counted by. Undefined for a guest without an email address. */
export function shopperKey({ customerId, accountId, email }: DiscountShopper): string | undefined {
  if (customerId) return `customer:${customerId}`
  if (accountId) return `account:${accountId}`
  return email ? guestPrefix + email.toLowerCase() : undefined
}

/** All names that a shopper is known by: of a customer with an email address, both. */
export const shopperKeys = ({ customerId, accountId, email }: DiscountShopper): readonly string[] =>
  [{ customerId }, { accountId }, { email }].flatMap((one) => shopperKey(one) ?? [])

/** The SQL of a shopper: expressions, each of a text or null. */
export interface ShopperSql {
  readonly customerId: string
  readonly accountId: string
  readonly email: string
}

/** `shopperKey` in SQL, in the collation of the column. */
export const shopperKeySql = ({ customerId, accountId, email }: ShopperSql): string =>
  `(coalesce('customer:' || ${customerId}, 'account:' || ${accountId}, '${guestPrefix}' || ${caseless(`(${email})`)}) COLLATE "C")`

/** `shopperKeys` in SQL: a list, with nulls for what is absent. */
export const shopperKeysSql = ({ customerId, accountId, email }: ShopperSql): string =>
  `ARRAY['customer:' || ${customerId}, 'account:' || ${accountId},
     '${guestPrefix}' || ${caseless(`(${email})`)}] COLLATE "C"`
