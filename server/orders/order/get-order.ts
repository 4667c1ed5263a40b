import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName } from '../../kernel/query/find.ts'
import { included, includedWith, includeParameter } from './included.ts'
import { orders } from './orders.ts'

/** An order, with what the request includes. */
export const getOrder = action({
  name: 'get-order',
  route: 'GET /v2/orders/:id',
  about: 'Reads an order. Shoppers read their own.',
  area: 'orders',
  status: 200,
  query: { include: includeParameter() },
  shows: { resource: orders, beside: { included } },
  async run(ctx, { params, query }) {
    const row = await findByName(ctx, orders, params.id)
    return objectAnswer(200, orders, row, ctx, await includedWith(ctx, row, query))
  },
})
