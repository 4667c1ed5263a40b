import { kinds, type SentItem } from '../../kernel/body/kinds.ts'
import { listOf } from '../../kernel/openapi/shapes.ts'
import { group } from '../../kernel/shape/fields.ts'
import { severalParts } from '../../kernel/thing/several-parts.ts'
import { customDiscountSchema } from '../shown/included.ts'
import { cart } from './cart.ts'
import { customDiscounts, customDiscountsOfItem } from './custom-discounts.ts'
import { discountFields } from './discount-values.ts'
import { itemLinkFields } from './item-link.ts'

const newDiscounts = kinds({
  name: 'NewCustomDiscount',
  most: 100,
  of: {
    custom_discount: {
      about: 'A discount of the cart itself, or of an item.',
      fields: {
        ...discountFields,
        relationships: group(itemLinkFields, {
          about: 'The item that is discounted. Without it, the discount is one of the cart itself.',
        }),
      },
    },
  },
})

/** The custom discounts of a cart and of its items. */
export const allCustomDiscounts = severalParts({
  of: cart,
  at: '/v2/carts/:cart_id/custom-discounts',
  area: 'cart-discounts',
  create: {
    name: 'add-custom-discounts',
    about:
      'Adds custom discounts to a cart, which takes them in place of promotions, or to its items. Of a list, those that cannot be added are listed in `errors` beside those that can; if none can, or with `options.add_all_or_nothing`, the request is refused.',
    body: { kinds: newDiscounts },
    schema: { anyOf: [customDiscountSchema, listOf(customDiscountSchema)] },
    into: ({ relationships }: SentItem<typeof newDiscounts.of>['values']) =>
      relationships
        ? customDiscountsOfItem.at({ item_id: relationships.item.data.id })
        : customDiscounts.at({}),
  },
  delete: {
    name: 'delete-custom-discounts',
    about: 'Removes all custom discounts of a cart itself. Those of its items stay.',
    clear: (contents) => ({ ...contents, customDiscounts: [] }),
  },
})
