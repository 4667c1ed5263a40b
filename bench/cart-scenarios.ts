import { cartSql } from '../server/carts/cart/find-cart.ts'
import type { Window } from '../server/kernel/query/page-text.ts'
import { parse } from '../server/kernel/query/parse.ts'
import { plan } from '../server/kernel/query/plan.ts'
import { pageSql } from '../server/kernel/query/sql.ts'
import type { Sql } from '../server/kernel/storage/database.ts'
import { rowColumns } from '../server/kernel/storage/stored-row.ts'
import { orders } from '../server/orders/order/orders.ts'
import type { Bare } from './bare.ts'
import { fillCart } from './fill-carts.ts'
import type { CreatedObject, OwnServer } from './own-server.ts'
import type { Scenario } from './scenarios.ts'
import { guestCheckout, type SeededCarts, tenPercent } from './seed-carts.ts'
import { seedPublished } from './seed-published.ts'

/** A cart of 20 lines with 5 promotions, and its order. */
export async function cartScenarios(server: OwnServer): Promise<Scenario[]> {
  const { call } = server
  const catalog = await seedPublished(server, 1000)
  for (let i = 1; i <= 5; i++) {
    await call('POST', '/v2/rule-promotions', { ...tenPercent, name: `Offer ${i}`, automatic: true }, 201)
  }
  await fillCart(server, catalog, 'read', 20)
  const { data } = await call<{ data: CreatedObject }>('POST', '/v2/carts/read/checkout', guestCheckout, 201)
  const cart: Bare = { sql: cartSql(catalog.storeId, 'read', new Date()), quick: true }
  const order = orderSql(catalog.storeId, data.id)
  const contents: Sql = {
    text: 'SELECT order_id, doc FROM order_contents WHERE store_id = $1 AND order_id = ANY($2::uuid[])',
    values: [catalog.storeId, [data.id]],
  }
  return [
    { name: 'get-cart', path: '/v2/carts/read', bare: cart },
    { name: 'get-cart-with-items', path: '/v2/carts/read?include=items', bare: cart },
    { name: 'get-order', path: `/v2/orders/${data.id}`, bare: { sql: order, quick: true } },
    {
      name: 'get-order-with-items',
      path: `/v2/orders/${data.id}?include=items`,
      bare: { before: [order], sql: contents, quick: true },
    },
  ]
}

const orderSql = (storeId: string, id: string): Sql => ({
  text: `SELECT ${rowColumns(orders)} FROM orders WHERE store_id = $1 AND id = $2`,
  values: [storeId, id],
})

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
