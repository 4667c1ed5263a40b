import { type CartRow, type CartShippingGroup, changeCart, contentsOf, findCart } from '../carts/index.ts'
import { action } from '../kernel/declare/action.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { named } from '../kernel/openapi/named-schemas.ts'
import { listOf, object, uuid } from '../kernel/openapi/shapes.ts'
import { json, noContent } from '../kernel/shape/answer.ts'
import { group, integer, map, type Shown, text } from '../kernel/shape/fields.ts'
import { displayShipping } from '../totals/index.ts'
import { mustBeInCurrency } from './check-currency.ts'
import { cartHeaders, currencyHeader, shopperIn } from './request.ts'

/** More groups than items have no use. */
const groupsMax = 100

const price = (about: string) => integer({ min: 0, about })
const groupFields = {
  shipping_type: text({
    max: 255,
    about: 'The kind of shipping, which promotions can name.',
    example: 'express',
  }),
  tracking_reference: text({ max: 1000, about: 'The number under which the carrier tracks the parcel.' }),
  external_ref: text({ max: 64, about: 'The id of the group in another system.' }),
  shipping_price: group(
    {
      base: price('The price of the carrier. Discounts come off this part.'),
      tax: price('The tax of shipping.'),
      fees: price('Further fees.'),
    },
    {
      about:
        'The price of shipping, in the smallest unit of the currency. Its total is the sum of the three.',
    },
  ),
  address: map(text({ max: 1000 }), { maxKeys: 50, about: 'The address, by the names of its parts.' }),
  delivery_estimate: group(
    {
      start: text({ max: 64, about: 'The earliest day or time of delivery.' }),
      end: text({ max: 64, about: 'The latest day or time of delivery.' }),
    },
    { about: 'When the group is delivered.' },
  ),
}

type GroupValues = Shown<typeof groupFields>

const string = { type: 'string' }
const amount = object({ amount: { type: 'integer' }, currency: string, formatted: string })
const fiveAmounts = object({ total: amount, base: amount, tax: amount, fees: amount, discount: amount })

const groupSchema = named(
  'CartShippingGroup',
  object(
    {
      type: { const: 'shipping_group' },
      id: uuid,
      relation: { const: 'cart' },
      cart_id: string,
      order_id: { const: '' },
      shipping_type: string,
      tracking_reference: string,
      external_ref: string,
      address: { type: 'object', additionalProperties: string },
      delivery_estimate: object({ start: string, end: string }, []),
      shipping_price: object({ total: amount, base: amount, tax: amount, fees: amount }),
      created_at: string,
      updated_at: string,
      relationships: object({ cart: object({ data: object({ type: { const: 'cart' }, id: string }) }) }),
      meta: object({ shipping_display_price: fiveAmounts }),
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
  fields: groupFields,
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
    return json(200, { data: contentsOf(row).shippingGroups.map((one) => shown(row, one.id)) })
  },
})

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
      apply: (contents, shop) => {
        mustBeInCurrency(shop, request.currency)
        const { shippingGroups } = contents
        if (shippingGroups.length >= groupsMax) {
          throw new Problem('unprocessable', `A cart has at most ${groupsMax} shipping groups.`, {
            source: 'data',
          })
        }
        const created = {
          id,
          createdAt: shop.now,
          updatedAt: shop.now,
          base: 0,
          tax: 0,
          fees: 0,
          shippingType: '',
        }
        return { ...contents, shippingGroups: [...shippingGroups, withValues(created, values)] }
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
      apply: (contents, shop) => {
        mustBeInCurrency(shop, shopperIn(headers).currency)
        const { shippingGroups } = contents
        if (!shippingGroups.some((one) => one.id === id)) throw notFound('shipping group', id)
        const change = (one: CartShippingGroup) => ({ ...withValues(one, values), updatedAt: shop.now })
        return {
          ...contents,
          shippingGroups: shippingGroups.map((one) => (one.id === id ? change(one) : one)),
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
        if (!contents.shippingGroups.some((one) => one.id === id)) throw notFound('shipping group', id)
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

const withValues = (one: CartShippingGroup, values: GroupValues): CartShippingGroup => ({
  ...one,
  shippingType: values.shipping_type ?? one.shippingType,
  trackingReference: values.tracking_reference ?? one.trackingReference,
  externalRef: values.external_ref ?? one.externalRef,
  address: values.address ?? one.address,
  deliveryEstimate: values.delivery_estimate ?? one.deliveryEstimate,
  base: values.shipping_price?.base ?? one.base,
  tax: values.shipping_price?.tax ?? one.tax,
  fees: values.shipping_price?.fees ?? one.fees,
})

function shown(row: CartRow, id: string) {
  const one = contentsOf(row).shippingGroups.find((group) => group.id === id)
  const { priced } = row.hidden
  const total = priced?.shippingGroups.find((group) => group.id === id)
  if (!one || !priced || !total) throw notFound('shipping group', id)
  const { currency } = priced
  const { id: cartId } = row.doc
  const price = displayShipping(total, currency)
  return {
    type: 'shipping_group',
    id,
    relation: 'cart',
    cart_id: cartId,
    order_id: '',
    shipping_type: one.shippingType,
    tracking_reference: one.trackingReference,
    external_ref: one.externalRef,
    address: one.address,
    delivery_estimate: one.deliveryEstimate,
    shipping_price: {
      total: price.total,
      base: price.base,
      tax: price.tax,
      fees: price.fees,
    },
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    relationships: { cart: { data: { type: 'cart', id: cartId } } },
    meta: { shipping_display_price: price },
  }
}
