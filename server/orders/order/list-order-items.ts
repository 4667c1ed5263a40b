import { action } from '../../kernel/declare/action.ts'
import { findByName } from '../../kernel/query/find.ts'
import { parse } from '../../kernel/query/parse.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { included, includedWith, includeParameter } from './included.ts'
import { contentsOfOrder } from './order-contents.ts'
import { orderItem, orderItemsOf } from './order-items.ts'
import { orders } from './orders.ts'

const names = ['tax_items', 'custom_discounts', 'promotions'] as const

/** The items of an order. */
export const listOrderItems = action({
  name: 'list-order-items',
  route: 'GET /v2/orders/:order_id/items',
  about: 'Returns all items of an order with what they cost at its checkout.',
  area: 'orders',
  status: 200,
  query: { include: includeParameter(names) },
  shows: { data: shown.list(orderItem), beside: { included } },
  async run(ctx, { params, query }) {
    const row = await findByName(ctx, orders, params.order_id)
    const contents = await contentsOfOrder(ctx.store, row.id)
    const items = orderItemsOf(row, contents, ctx.baseUrl, parse(query).include)
    const more = await includedWith(ctx, row, query, names)
    return { status: 200, body: `{"data":${JSON.stringify(items)}${more}}`, headers: {} }
  },
})
