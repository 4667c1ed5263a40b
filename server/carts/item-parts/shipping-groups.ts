import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { listOf, object } from '../../kernel/openapi/shapes.ts'
import { json, noContent } from '../../kernel/shape/answer.ts'
import { changeCart } from '../cart/change-cart.ts'
import { findCart } from '../cart/find-cart.ts'
import type { Cart } from '../contents/cart-fields.ts'
import { mustBeInCurrency } from './check-currency.ts'
import { cartHeaders, currencyHeader, shopperIn } from './request.ts'
import {
  newShippingGroup,
  shippingGroupFields,
  shippingGroupMembers,
  showShippingGroup,
  withGroupValues,
} from './shipping-group.ts'

/** More groups than items have no use. */
const groupsMax = 100

const groupSchema = named(
  'CartShippingGroup',
  object(
    {
      ...shippingGroupMembers,
      relation: { const: 'cart' },
      cart_id: { type: 'string' },
      order_id: { type: 'string', maxLength: 0 },
      relationships: object({
        cart: object({ data: object({ type: { const: 'cart' }, id: { type: 'string' } }) }),
      }),
    },
    ['type', 'id', 'cart_id', 'created_at', 'updated_at', 'meta'],
  ),
)

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
  shows: { data: listOf(groupSchema) },
  async run(ctx, { params }) {
    const row = await findCart(ctx, params.cart_id)
    return json(200, { data: row.inside.contents.shippingGroups.map((one) => shown(row, one.id)) })
  },
})

const priceAt = 'data.shipping_price'

export const getShippingGroup = action({
  name: 'get-cart-shipping-group',
  route: 'GET /v2/carts/:cart_id/shipping-groups/:group_id',
  about: 'Returns a shipping group of a cart.',
  area,
  status: 200,
  shows: { data: groupSchema },
  run: async (ctx, { params }) =>
    json(200, { data: shown(await findCart(ctx, params.cart_id), params.group_id) }),
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
  shows: { data: groupSchema },
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
    return json(201, { data: shown(row, id) })
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
  shows: { data: groupSchema },
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
    return json(200, { data: shown(row, id) })
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

function shown(row: Cart, id: string) {
  const { contents, priced } = row.inside
  const one = contents.shippingGroups.find((group) => group.id === id)
  const totals = priced.shippingGroups.find((group) => group.id === id)
  if (!one || !totals) throw groupNotFound(id)
  const { id: cartId } = row.doc
  return {
    ...showShippingGroup(one, totals, priced.currency),
    ...{ relation: 'cart', cart_id: cartId, order_id: '' },
    relationships: { cart: { data: { type: 'cart', id: cartId } } },
  }
}

const groupNotFound = (id: string) =>
  notFound('shipping group', id, { title: 'Cart shipping group not found' })
