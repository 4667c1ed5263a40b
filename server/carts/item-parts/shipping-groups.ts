import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { json, noContent } from '../../kernel/shape/answer.ts'
import { text } from '../../kernel/shape/fields.ts'
import { optional, relationshipTo, type ShownValue, shown } from '../../kernel/shape/shown.ts'
import { changeCart } from '../cart/change-cart.ts'
import { findCart } from '../cart/find-cart.ts'
import { type CartRow, contentsOf } from '../contents/cart-fields.ts'
import { mustBeInCurrency } from './check-currency.ts'
import { cartHeaders, currencyHeader, shopperIn } from './request.ts'
import {
  newShippingGroup,
  shippingGroupFields,
  shippingGroupShown,
  showShippingGroup,
  withGroupValues,
} from './shipping-group.ts'

/** More groups than items have no use. */
const groupsMax = 100

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

const area = 'carts'
const body = {
  type: 'shipping_group',
  // Some clients send this type.
  alsoType: ['shipping-type'],
  typeOptional: true,
  fields: shippingGroupFields,
} as const

/** The shipping groups of a cart. */
export const listShippingGroups = action({
  name: 'list-cart-shipping-groups',
  route: 'GET /v2/carts/:cart_id/shipping-groups',
  about: 'Returns all shipping groups of a cart, in the order in which they were created.',
  area,
  status: 200,
  shows: { data: shown.list(shippingGroup) },
  async run(ctx, { params }) {
    const row = await findCart(ctx, params.cart_id)
    return json(200, { data: contentsOf(row).shippingGroups.map((one) => show(row, one.id)) })
  },
})

const priceAt = 'data.shipping_price'

export const getShippingGroup = action({
  name: 'get-cart-shipping-group',
  route: 'GET /v2/carts/:cart_id/shipping-groups/:group_id',
  about: 'Returns a shipping group of a cart.',
  area,
  status: 200,
  shows: { data: shippingGroup },
  run: async (ctx, { params }) =>
    json(200, { data: show(await findCart(ctx, params.cart_id), params.group_id) }),
})

export const createShippingGroup = action({
  name: 'create-cart-shipping-group',
  route: 'POST /v2/carts/:cart_id/shipping-groups',
  about: 'Creates a shipping group. Its price counts once an item is linked to it by `shipping_group_id`.',
  area,
  status: 201,
  queuesBy: 'cart_id',
  headers: cartHeaders,
  body,
  shows: { data: shippingGroup },
  async run(ctx, { params, body: values, headers }) {
    const id = newId()
    const request = shopperIn(headers)
    const row = await changeCart(ctx, params.cart_id, {
      ...request,
      amountAt: priceAt,
      apply: (contents, shop) => {
        mustBeInCurrency(shop, request.currency)
        const { shippingGroups } = contents
        if (shippingGroups.length >= groupsMax) {
          throw new Problem('unprocessable', `A cart has at most ${groupsMax} shipping groups.`, {
            source: 'data',
          })
        }
        const created = newShippingGroup(id, shop.now)
        return {
          ...contents,
          shippingGroups: [...shippingGroups, withGroupValues(created, values, shop.now)],
        }
      },
    })
    return json(201, { data: show(row, id) })
  },
})

export const updateShippingGroup = action({
  name: 'update-cart-shipping-group',
  route: 'PUT /v2/carts/:cart_id/shipping-groups/:group_id',
  about: 'Changes a shipping group of a cart.',
  area,
  status: 200,
  queuesBy: 'cart_id',
  headers: currencyHeader,
  body,
  shows: { data: shippingGroup },
  async run(ctx, { params, body: values, headers }) {
    const { group_id: id } = params
    const row = await changeCart(ctx, params.cart_id, {
      amountAt: priceAt,
      apply: (contents, shop) => {
        mustBeInCurrency(shop, shopperIn(headers).currency)
        const { shippingGroups } = contents
        if (!shippingGroups.some((one) => one.id === id)) throw groupNotFound(id)
        return {
          ...contents,
          shippingGroups: shippingGroups.map((one) =>
            one.id === id ? withGroupValues(one, values, shop.now) : one,
          ),
        }
      },
    })
    return json(200, { data: show(row, id) })
  },
})

export const deleteShippingGroup = action({
  name: 'delete-cart-shipping-group',
  route: 'DELETE /v2/carts/:cart_id/shipping-groups/:group_id',
  about: 'Deletes a shipping group that no item is linked to.',
  area,
  status: 204,
  queuesBy: 'cart_id',
  shows: { body: null },
  async run(ctx, { params }) {
    const { group_id: id } = params
    await changeCart(ctx, params.cart_id, {
      apply: (contents) => {
        if (!contents.shippingGroups.some((one) => one.id === id)) throw groupNotFound(id)
        if (contents.lines.some(({ shippingGroupId }) => shippingGroupId === id)) {
          const detail = 'Items are linked to the shipping group. Link them to another one first, or to none.'
          throw new Problem('bad_request', detail, { title: 'Cannot delete shipping group' })
        }
        return { ...contents, shippingGroups: contents.shippingGroups.filter((one) => one.id !== id) }
      },
    })
    return noContent
  },
})

function show(row: CartRow, id: string): ShownValue<typeof group> {
  const one = contentsOf(row).shippingGroups.find((group) => group.id === id)
  const { priced } = row.hidden
  const totals = priced?.shippingGroups.find((group) => group.id === id)
  if (!one || !priced || !totals) throw groupNotFound(id)
  const { id: cartId = row.id } = row.doc
  return {
    ...showShippingGroup(one, totals, priced.currency),
    ...{ relation: 'cart' as const, cart_id: cartId, order_id: '' },
    relationships: { cart: { data: { type: 'cart', id: cartId } } },
  }
}

const groupNotFound = (id: string) =>
  notFound('shipping group', id, { title: 'Cart shipping group not found' })
