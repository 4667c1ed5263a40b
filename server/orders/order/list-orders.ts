import { action } from '../../kernel/declare/action.ts'
import { list } from '../../kernel/request/operations.ts'
import { included, includedIn, includeParameter } from './included.ts'
import { orders } from './orders.ts'

/** The orders of the store, or those of the shopper who is signed in. */
export const listOrders = action({
  name: 'list-orders',
  route: 'GET /v2/orders',
  about:
    'Lists orders, a page at a time, the most recently changed first: all orders of the store, or those of the customer or account whose token the request has. Offsets end at 10,000; a walk with `sort` and `filter` reads on from there.',
  area: 'orders',
  status: 200,
  query: { include: includeParameter() },
  shows: { resource: orders, page: true, beside: { included } },
  run: (ctx, call) =>
    list(ctx, orders, [], call, undefined, (portions) => includedIn(ctx, portions, call.query)),
})
