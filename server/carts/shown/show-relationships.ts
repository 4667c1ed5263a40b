import { group } from '../../kernel/shape/fields.ts'
import { optional, orNull, readOnly, required, shown } from '../../kernel/shape/shown.ts'
import type { CartRow } from '../contents/cart-fields.ts'
import { emptyContents } from '../contents/contents.ts'
import { ownersOf } from '../contents/owners.ts'

const links = shown.list(shown.object)
const linked = group({ data: optional(links) }, {})

export const cartRelationships = readOnly(
  shown.group({
    items: required(group({ data: optional(orNull(links)) }, {})),
    customers: required(linked),
    accounts: required(linked),
    custom_discounts: linked,
    promotions: linked,
    shipping_groups: linked,
  }),
  {
    about:
      'The items of the cart, and the customers and accounts it is associated with. With `include=promotions`, also the promotions that take something off the cart as a whole or off shipping.',
  },
)

const linksTo = (type: string, ids: readonly string[]) => ids.map((id) => ({ type, id }))

/** `{}` where there is nothing. */
const ownersTo = (type: string, ids: readonly string[]) => (ids.length ? { data: linksTo(type, ids) } : {})

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
    customers: ownersTo('customer', customers),
    accounts: ownersTo('account', accounts),
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
