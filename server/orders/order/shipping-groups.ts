import {
  type CartShippingGroup,
  newShippingGroup,
  type ShippingTotals,
  shippingDisplayPrice,
  shippingGroupFields,
  shippingGroupMembers,
  showShippingGroup,
  withGroupValues,
} from '../../carts/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { listOf, object, uuid } from '../../kernel/openapi/shapes.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { describe } from '../../kernel/shape/fields.ts'
import { changeThing } from '../../kernel/thing/change-thing.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type OrderRow, orders } from './orders.ts'
import { displayOrder, orderDisplayPrice } from './show-order.ts'

/** A shipping group of an order. The cart's have what they cost; those that are created later cost nothing. */
export interface OrderShippingGroup {
  readonly group: CartShippingGroup
  readonly totals: ShippingTotals
}

const groupsMax = 100

const groupSchema = named(
  'OrderShippingGroup',
  object(
    {
      ...shippingGroupMembers,
      meta: object({
        shipping_display_price: shippingDisplayPrice,
        total_display_price: describe(orderDisplayPrice),
      }),
      relation: { const: 'order' },
      order_id: uuid,
      relationships: object({
        order: object({ data: object({ type: { const: 'order' }, id: uuid }) }),
      }),
    },
    ['type', 'id', 'order_id', 'created_at', 'updated_at', 'meta'],
  ),
)

const { shipping_type, tracking_reference, address, delivery_estimate } = shippingGroupFields
const body = {
  type: 'shipping_group',
  typeOptional: true,
  fields: { shipping_type, tracking_reference, address, delivery_estimate },
} as const
const area = 'orders'

/** The shipping groups of an order. */
export const listOrderShippingGroups = action({
  name: 'list-order-shipping-groups',
  route: 'GET /v2/orders/:order_id/shipping-groups',
  about: 'Returns all shipping groups of an order: those of its cart, and those that were created since.',
  area,
  status: 200,
  shows: { data: listOf(groupSchema) },
  async run(ctx, { params }) {
    const order = await findOrder(ctx, params.order_id)
    return json(200, { data: groupsOf(order).map((one) => show(order, one)) })
  },
})

export const getOrderShippingGroup = action({
  name: 'get-order-shipping-group',
  route: 'GET /v2/orders/:order_id/shipping-groups/:group_id',
  about: 'Returns a shipping group of an order.',
  area,
  status: 200,
  shows: { data: groupSchema },
  async run(ctx, { params }) {
    const order = await findOrder(ctx, params.order_id)
    return json(200, { data: show(order, groupOf(order, params.group_id)) })
  },
})

export const createOrderShippingGroup = action({
  name: 'create-order-shipping-group',
  route: 'POST /v2/orders/:order_id/shipping-groups',
  about: 'Creates a shipping group of an order, to track a parcel. The totals of the order stay as they are.',
  area,
  status: 201,
  queuesBy: 'order_id',
  body,
  shows: { data: groupSchema },
  async run(ctx, { params, body: values }) {
    const id = newId()
    const order = await changeGroups(ctx, params.order_id, (groups) => {
      if (groups.length >= groupsMax) {
        throw new Problem('unprocessable', `An order has at most ${groupsMax} shipping groups.`, {
          source: 'data',
        })
      }
      const now = ctx.clock.now().toISOString()
      const group = withGroupValues(newShippingGroup(id, now), values, now)
      return [
        ...groups,
        {
          group,
          totals: { id, isLinked: false, total: 0, base: 0, tax: 0, fees: 0, discount: 0 },
        },
      ]
    })
    return json(201, { data: show(order, groupOf(order, id)) })
  },
})

export const updateOrderShippingGroup = action({
  name: 'update-order-shipping-group',
  route: 'PUT /v2/orders/:order_id/shipping-groups/:group_id',
  about: 'Changes a shipping group of an order. Its address stays once the order is fulfilled.',
  area,
  status: 200,
  queuesBy: 'order_id',
  body,
  shows: { data: groupSchema },
  async run(ctx, { params, body: values }) {
    const { group_id: id } = params
    const order = await changeGroups(ctx, params.order_id, (groups, { doc }) => {
      groupOf({ hidden: { shipping_groups: groups } }, id)
      if (values.address !== undefined && doc.shipping === 'fulfilled') {
        throw new Problem('bad_request', 'The address of an order that is fulfilled cannot change.', {
          source: 'data.address',
        })
      }
      const now = ctx.clock.now().toISOString()
      return groups.map((one) =>
        one.group.id === id ? { ...one, group: withGroupValues(one.group, values, now) } : one,
      )
    })
    return json(200, { data: show(order, groupOf(order, id)) })
  },
})

const findOrder = (ctx: Ctx, name: string): Promise<OrderRow> => findByName(ctx, orders, name)

const groupsOf = ({ hidden }: Pick<OrderRow, 'hidden'>): readonly OrderShippingGroup[] =>
  hidden.shipping_groups ?? []

function groupOf(order: Pick<OrderRow, 'hidden'>, id: string): OrderShippingGroup {
  const found = groupsOf(order).find(({ group }) => group.id === id.toLowerCase())
  if (found) return found
  throw new Problem('not_found', `The order has no shipping group ${id.slice(0, 255)}.`, {
    title: 'Group not found',
  })
}

/** Applies a function to the groups of an order, which is locked meanwhile. */
async function changeGroups(
  ctx: Ctx,
  name: string,
  apply: (groups: readonly OrderShippingGroup[], order: OrderRow) => readonly OrderShippingGroup[],
): Promise<OrderRow> {
  const { after } = await changeThing(ctx, orders, name, (order) => ({
    values: { shipping_groups: apply(groupsOf(order), order) },
  }))
  return after
}

const show = (order: OrderRow, { group, totals }: OrderShippingGroup) => {
  const { currency } = order.hidden
  if (!currency) throw new Error('an order has a currency')
  const { meta, ...shown } = showShippingGroup(group, totals, currency)
  return {
    ...shown,
    meta: { ...meta, total_display_price: displayOrder(order) },
    ...{ relation: 'order', order_id: order.id },
    relationships: { order: { data: { type: 'order', id: order.id } } },
  }
}
