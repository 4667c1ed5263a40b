import { readOnlyObject } from '../../kernel/shape/fields.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { emptyContents } from '../contents/contents.ts'
import { ownersOf } from '../contents/owners.ts'

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
  {
    about:
      'The items of the cart, and the customers and accounts it is associated with. With `include=promotions`, also the promotions that take something off the cart as a whole or off shipping.',
  },
)

const linksTo = (type: string, ids: readonly string[]) => ids.map((id) => ({ type, id }))

/** `{}` where there is nothing. */
const some = (type: string, ids: readonly string[]) => (ids.length ? { data: linksTo(type, ids) } : {})

export function relationshipsOf(row: CartRow) {
  const { contents = emptyContents, priced, includes } = row.hidden
  const { lines, customDiscounts, shippingGroups } = contents
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
    ...(includes?.names.includes('promotions') && {
      promotions: {
        data: linksTo(
          'promotion',
          includes.promotions.map(({ id }) => id),
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
