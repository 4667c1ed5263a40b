import { notFound, Problem } from '../../kernel/errors.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { text } from '../../kernel/shape/fields.ts'
import { optional, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import { parts } from '../../kernel/thing/parts.ts'
import type { Cart } from '../contents/cart-fields.ts'
import type { CartShippingGroup, Contents } from '../contents/contents.ts'
import { cart } from './cart.ts'
import { cartHeaders, currencyHeader, shopperIn } from './request.ts'
import {
  newShippingGroup,
  shippingGroupFields,
  shippingGroupShown,
  showShippingGroup,
  withGroupValues,
} from './shipping-group.ts'

const group = shown.group({
  ...shippingGroupShown,
  relation: optional(shown.constant('cart')),
  cart_id: shown.text,
  order_id: text({ max: 0 }),
  relationships: optional(
    shown.group({ cart: relationshipTo(shown.group({ type: shown.constant('cart'), id: shown.text })) }),
  ),
})

// The order of `required` is that of the API document.
const requiredMembers = ['type', 'id', 'cart_id', 'created_at', 'updated_at', 'meta']
const shippingGroup = named('CartShippingGroup', {
  ...group,
  schema: { ...group.schema, required: requiredMembers },
})

const groupNotFound = (id: string) =>
  notFound('shipping group', id, { title: 'Cart shipping group not found' })

const amountAt = 'data.shipping_price'

const body = {
  type: 'shipping_group',
  // Some clients send this type.
  alsoType: ['shipping-type'],
  typeOptional: true,
  fields: shippingGroupFields,
} as const

/** The shipping groups of a cart. */
export const shippingGroups = parts({
  ...{ of: cart, id: 'group_id', area: 'carts', body },
  at: '/v2/carts/:cart_id/shipping-groups',
  in: () => ({
    of: (contents: Contents) => contents.shippingGroups,
    set: (contents, shippingGroups) => ({ ...contents, shippingGroups }),
  }),
  // More groups than items have no use.
  most: { n: 100, detail: (n) => `A cart has at most ${n} shipping groups.` },
  missing: groupNotFound,
  mayRemove: mustBeUnlinked,
  make: newShippingGroup,
  change: withGroupValues,
  shows: shippingGroup,
  show: showGroup,
  operations: {
    list: {
      name: 'list-cart-shipping-groups',
      about: 'Returns all shipping groups of a cart, in the order in which they were created.',
    },
    get: { name: 'get-cart-shipping-group', about: 'Returns a shipping group of a cart.' },
    create: {
      name: 'create-cart-shipping-group',
      about:
        'Creates a shipping group. Its price counts once an item is linked to it by `shipping_group_id`.',
      headers: cartHeaders,
      request: (headers) => ({ ...shopperIn(headers), amountAt, mustBeIn: shopperIn(headers).currency }),
    },
    update: {
      name: 'update-cart-shipping-group',
      about: 'Changes a shipping group of a cart.',
      headers: currencyHeader,
      request: (headers) => ({ amountAt, mustBeIn: shopperIn(headers).currency }),
    },
    delete: {
      name: 'delete-cart-shipping-group',
      about: 'Deletes a shipping group that no item is linked to.',
    },
  },
})

function mustBeUnlinked({ lines }: Contents, { id }: CartShippingGroup): void {
  if (!lines.some(({ shippingGroupId }) => shippingGroupId === id)) return
  const detail = 'Items are linked to the shipping group. Link them to another one first, or to none.'
  throw new Problem('bad_request', detail, { title: 'Cannot delete shipping group' })
}

function showGroup(one: CartShippingGroup, { doc: { id }, inside: { priced } }: Cart) {
  const totals = priced.shippingGroups.find((group) => group.id === one.id)
  if (!totals) throw groupNotFound(one.id)
  return {
    ...showShippingGroup(one, totals, priced.currency),
    ...{ relation: 'cart', cart_id: id, order_id: '' },
    relationships: { cart: { data: { type: 'cart', id } } },
  }
}
