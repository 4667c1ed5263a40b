import { notFound } from '../../kernel/errors.ts'
import type { PartChange } from '../../kernel/thing/holder.ts'
import { parts } from '../../kernel/thing/parts.ts'
import type { Cart } from '../contents/cart-fields.ts'
import type { Contents } from '../contents/contents.ts'
import { customDiscount, showCustomDiscount } from '../shown/included.ts'
import { cart } from './cart.ts'
import {
  type DiscountValues,
  discountFields,
  mustTakeDiscounts,
  discountTitle as title,
  withValues,
} from './discount-values.ts'
import { lineOf, withLine } from './line-of.ts'

const most = {
  n: 5,
  detail: (n: number) => `A cart, and each of its items, has at most ${n} custom discounts.`,
}

const discounts = {
  of: cart,
  id: 'discount_id',
  area: 'cart-discounts',
  body: { type: 'custom_discount', fields: discountFields },
  missing: (id: string) => notFound('custom discount', id),
  mayAdd: mustTakeDiscounts,
  make: (values: DiscountValues, { id, now }: PartChange) =>
    withValues({ id, addedAt: now, amount: 0 }, values),
  change: withValues,
  shows: customDiscount,
} as const

/** The custom discounts of a cart itself. */
export const customDiscounts = parts({
  ...discounts,
  at: '/v2/carts/:cart_id/custom-discounts',
  in: () => ({
    of: (contents: Contents) => contents.customDiscounts,
    set: (contents, customDiscounts) => ({ ...contents, customDiscounts }),
  }),
  most: { ...most, extras: () => ({ title }) },
  show: (discount, row) => showCustomDiscount(discount, currencyOf(row)),
  operations: {
    update: { name: 'update-custom-discount', about: 'Changes a custom discount of a cart.' },
    delete: { name: 'delete-custom-discount', about: 'Removes a custom discount of a cart.' },
  },
})

/** The custom discounts of an item. */
export const customDiscountsOfItem = parts({
  ...discounts,
  at: '/v2/carts/:cart_id/items/:item_id/custom-discounts',
  in: ({ item_id: id }) => ({
    of: (contents: Contents, source) => lineOf(contents, id, source).customDiscounts,
    set: (contents, customDiscounts) => withLine(contents, id, { customDiscounts }),
  }),
  most: { ...most, extras: ({ item_id: id }) => ({ title: 'Limit Reached', meta: { id } }) },
  show: (discount, row, { item_id }) =>
    showCustomDiscount(discount, currencyOf(row), lineOf(row.inside.contents, item_id)),
  operations: {
    create: {
      name: 'add-custom-discount-to-item',
      about: 'Adds a custom discount to all pieces of an item together.',
    },
    update: {
      name: 'update-custom-discount-of-item',
      about: 'Changes a custom discount of an item.',
    },
    delete: {
      name: 'delete-custom-discount-of-item',
      about: 'Removes a custom discount of an item.',
    },
  },
})

function currencyOf({ inside: { priced } }: Cart) {
  return priced.currency
}
