import { readOnlyObject } from '../kernel/shape/fields.ts'
import { type CartRow, contentsOf } from './carts.ts'
import { ownersOf } from './owners.ts'

const links = { type: 'array', items: { type: 'object', additionalProperties: true } }

export const cartRelationships = readOnlyObject<Readonly<Record<string, unknown>>>(
  {
    required: ['items', 'customers', 'accounts'],
    properties: {
      items: { type: 'object', properties: { data: { ...links, type: ['array', 'null'] } } },
      customers: { type: 'object', properties: { data: links } },
      accounts: { type: 'object', properties: { data: links } },
      custom_discounts: { type: 'object', properties: { data: links } },
      promotions: { type: 'object', properties: { data: links } },
      shipping_groups: { type: 'object', properties: { data: links } },
    },
  },
  { about: 'The items of the cart, and the customers and accounts it is associated with.' },
)

const linksTo = (type: string, ids: readonly string[]) => ids.map((id) => ({ type, id }))

/** `{}` where there is nothing. */
const some = (type: string, ids: readonly string[]) => (ids.length ? { data: linksTo(type, ids) } : {})

export function relationshipsOf(row: CartRow) {
  const { lines, customDiscounts, shippingGroups } = contentsOf(row)
  const { priced } = row.hidden
  const items = [
    ...lines.map(({ kind, id }) => ({ type: kind, id })),
    ...(priced?.promotionItems ?? []).map(({ id }) => ({ type: 'promotion_item', id })),
  ]
  const { customers, accounts } = ownersOf(row)
  return {
    items: { data: items.length ? items : null },
    customers: some('customer', customers),
    accounts: some('account', accounts),
    ...(customDiscounts.length && {
      custom_discounts: {
        data: linksTo(
          'custom_discount',
          customDiscounts.map(({ id }) => id),
        ),
      },
    }),
    ...(shippingGroups.length && {
      shipping_groups: {
        data: linksTo(
          'shipping_group',
          shippingGroups.map(({ id }) => id),
        ),
      },
    }),
  }
}
