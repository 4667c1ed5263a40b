import type { Window } from '../server/kernel/query/page-text.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import { orders } from '../server/orders/order/orders.ts'
import type { Bare } from './bare.ts'
import type { Scenario } from './scenarios.ts'
import type { SeededCarts } from './seed-carts.ts'

const first: Window = { limit: 25, offset: 0, column: 'updated_at', descending: true }

/** Lists of orders. */
export function orderScenarios({ storeId, customerId }: SeededCarts): Scenario[] {
  const page = (window: Window, query = ''): Bare => ({
    sql: pageSql(
      { resource: orders as never, scope: [] },
      plan(parse(query), orders as never).filter,
      window,
      storeId,
    ),
    quick: false,
  })
  const filtered = (name: string, filter: string): Scenario => ({
    name: `list-orders-${name}`,
    path: `/v2/orders?filter=${encodeURIComponent(filter)}`,
    bare: page(first, `filter=${encodeURIComponent(filter)}`),
  })
  const since = new Date(Date.now() - 250_000_000).toISOString()
  return [
    { name: 'list-orders', path: '/v2/orders', bare: page(first) },
    {
      name: 'list-orders-at-9900',
      path: '/v2/orders?page%5Boffset%5D=9900',
      bare: page({ ...first, offset: 9900 }),
      compareWith: 'list-orders',
    },
    filtered('of-a-customer', `eq(customer_id,${customerId})`),
    filtered('by-email', 'eq(email,person-4711@bench.example)'),
    filtered('paid-a-hundredth', 'eq(payment,paid)'),
    {
      name: 'walk-orders-by-created-at',
      path: `/v2/orders?sort=created_at&filter=ge(created_at,${since})`,
      compareWith: 'list-orders',
    },
  ]
}
