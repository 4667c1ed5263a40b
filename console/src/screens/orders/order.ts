import { type Item, isItem, valueAt } from '../../api/objects.ts'

/** Who ordered. */
export interface Buyer {
  readonly name: string
  readonly email: string
  /** The page of the customer; guests and contacts of accounts have none. */
  readonly customerId: string | undefined
  readonly accountId: string | undefined
}

const textAt = (item: unknown, path: string): string | undefined => {
  const value = valueAt(item, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const buyerOf = (order: Item): Buyer => ({
  name: textAt(order, 'customer.name') ?? textAt(order, 'contact.name') ?? '',
  email: textAt(order, 'customer.email') ?? textAt(order, 'contact.email') ?? '',
  customerId: textAt(order, 'relationships.customer.data.id'),
  accountId: textAt(order, 'relationships.account.data.id'),
})

/** The amounts of an order that its screen shows. */
export type AmountName =
  | 'without_discount'
  | 'discount'
  | 'shipping'
  | 'shipping_discount'
  | 'without_tax'
  | 'tax'
  | 'with_tax'
  | 'paid'
  | 'authorized'
  | 'balance_owing'

export const amountOf = (order: Item, name: AmountName): number =>
  Number(valueAt(order, `meta.display_price.${name}.amount`) ?? 0)

export const currencyOf = (order: Item): string =>
  String(valueAt(order, 'meta.display_price.with_tax.currency') ?? '')

export const listIn = (body: unknown, path: string): readonly Item[] => {
  const list = valueAt(body, path)
  return Array.isArray(list) ? list.filter(isItem) : []
}
