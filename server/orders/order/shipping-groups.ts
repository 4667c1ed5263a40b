import {
  type CartShippingGroup,
  newShippingGroup,
  type ShippingTotals,
  shippingDisplayPrice,
  shippingGroupFields,
  shippingGroupShown,
  showShippingGroup,
  withGroupValues,
} from '../../carts/index.ts'
import { Problem } from '../../kernel/errors.ts'
import { named } from '../../kernel/openapi/named-schemas.ts'
import { findByName } from '../../kernel/query/find.ts'
import { optional, relationshipTo, required, shown } from '../../kernel/shape/shown.ts'
import { changeThing } from '../../kernel/thing/change-thing.ts'
import type { Holder } from '../../kernel/thing/holder.ts'
import { parts } from '../../kernel/thing/parts.ts'
import { type OrderRow, orders } from './orders.ts'
import { displayOrder, orderDisplayPrice } from './show-order.ts'

/** A shipping group of an order. The cart's have what they cost; those that are created later cost nothing. */
export interface OrderShippingGroup {
  readonly group: CartShippingGroup
  readonly totals: ShippingTotals
}

const group = shown.group({
  ...shippingGroupShown,
  meta: shown.group({
    shipping_display_price: shippingDisplayPrice,
    total_display_price: required(orderDisplayPrice),
  }),
  relation: optional(shown.constant('order')),
  order_id: shown.uuid,
  relationships: optional(
    shown.group({ order: relationshipTo(shown.group({ type: shown.constant('order'), id: shown.uuid })) }),
  ),
})

// The order of `required` is that of the API document.
const requiredMembers = ['type', 'id', 'order_id', 'created_at', 'updated_at', 'meta']
const shippingGroup = named('OrderShippingGroup', {
  ...group,
  schema: { ...group.schema, required: requiredMembers },
})

type Groups = readonly OrderShippingGroup[]

/** An order has its shipping groups as parts. */
const order: Holder<OrderRow, Groups, { readonly order: OrderRow }, undefined> = {
  find: (ctx, name) => findByName(ctx, orders, name),
  contentsOf: ({ hidden }) => hidden.shipping_groups ?? [],
  async change(ctx, name, deed) {
    const { after } = await changeThing(ctx, orders, name, async (row) => ({
      values: { shipping_groups: await deed(order.contentsOf(row), { order: row }) },
    }))
    return after
  },
}

const { shipping_type, tracking_reference, address, delivery_estimate } = shippingGroupFields
const fields = { shipping_type, tracking_reference, address, delivery_estimate }

/** The shipping groups of an order. */
export const orderShippingGroups = parts({
  ...{ of: order, id: 'group_id', area: 'orders' },
  at: '/v2/orders/:order_id/shipping-groups',
  in: () => ({
    of: (groups: Groups) => groups.map((one) => ({ ...one, id: one.group.id })),
    set: (_, groups) => groups.map(({ id, ...one }) => one),
  }),
  body: { type: 'shipping_group', typeOptional: true, fields },
  most: { n: 100, detail: (n) => `An order has at most ${n} shipping groups.` },
  missing: (id) =>
    new Problem('not_found', `The order has no shipping group ${id.slice(0, 255)}.`, {
      title: 'Group not found',
    }),
  make: (values, part) => ({
    ...{ id: part.id, group: newShippingGroup(values, part) },
    totals: { id: part.id, isLinked: false, total: 0, base: 0, tax: 0, fees: 0, discount: 0 },
  }),
  change(one, values, { order, now }) {
    mustTakeAddressOfGroup(order, values)
    return { ...one, group: withGroupValues(one.group, values, { now }) }
  },
  shows: shippingGroup,
  show: showGroup,
  operations: {
    list: {
      name: 'list-order-shipping-groups',
      about: 'Returns all shipping groups of an order: those of its cart, and those that were created since.',
    },
    get: { name: 'get-order-shipping-group', about: 'Returns a shipping group of an order.' },
    create: {
      name: 'create-order-shipping-group',
      about:
        'Creates a shipping group of an order, to track a parcel. The totals of the order stay as they are.',
    },
    update: {
      name: 'update-order-shipping-group',
      about: 'Changes a shipping group of an order. Its address stays once the order is fulfilled.',
    },
  },
})

/** Refuses another address once an order is fulfilled. */
function mustTakeAddressOfGroup({ doc }: OrderRow, values: { readonly address?: unknown }): void {
  if (values.address === undefined || doc.shipping !== 'fulfilled') return
  throw new Problem('bad_request', 'The address of an order that is fulfilled cannot change.', {
    source: 'data.address',
  })
}

function showGroup({ group, totals }: OrderShippingGroup, row: OrderRow) {
  const { currency } = row.hidden
  if (!currency) throw new Error('an order has a currency')
  const { meta, ...members } = showShippingGroup(group, totals, currency)
  return {
    ...members,
    meta: { ...meta, total_display_price: displayOrder(row) },
    ...{ relation: 'order', order_id: row.id },
    relationships: { order: { data: { type: 'order', id: row.id } } },
  }
}
