import { randomUUID } from 'node:crypto'
import type { World } from '../../support/world.ts'

/** An order of the past, as far as metrics look at it. */
export interface PastOrder {
  readonly id?: string
  readonly createdAt: string
  readonly value: number
  readonly discount?: number
  readonly currency?: string
  readonly status?: string
}

/** Stores orders of the past, each a copy of an order of the store with these values. */
export async function addPastOrders(
  world: World,
  copied: string,
  some: readonly PastOrder[],
): Promise<readonly string[]> {
  const ids = some.map(({ id = randomUUID() }) => id)
  await world.sql(
    `INSERT INTO orders (store_id, id, version, created_at, updated_at, doc, hidden)
     SELECT o.store_id, n.id, 0, n.at, n.at, jsonb_set(o.doc::jsonb, '{status}', to_jsonb(n.status))::json,
       (jsonb_set(jsonb_set(o.hidden::jsonb - 'cart', '{prices}', o.hidden::jsonb->'prices'
          || jsonb_build_object('with_tax', n.value, 'discount', n.discount)), '{currency,code}', to_jsonb(n.currency)))::json
     FROM orders o, unnest($3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::text[], $8::text[])
       AS n (id, at, value, discount, currency, status)
     WHERE o.store_id = $1 AND o.id = $2`,
    [
      world.storeId,
      copied,
      ids,
      some.map(({ createdAt }) => createdAt),
      some.map(({ value }) => value),
      some.map(({ discount = 0 }) => -discount),
      some.map(({ currency = 'USD' }) => currency),
      some.map(({ status = 'incomplete' }) => status),
    ],
  )
  return ids
}
