import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { allocate, type Portion } from '../../../server/assortment/index.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import type { Client, Reply } from '../../support/client.ts'

/** The header of the second dialect. */
export const located = { 'EP-Inventories-Multi-Location': 'true' }

export const transactionsOf = (id: string) => `/v2/inventories/${id}/transactions`

/** Allocates portions in a transaction of their own. */
export const take = (work: Work, portions: readonly Portion[]): Promise<readonly Portion[]> =>
  work.transaction(async (inside) => {
    const allocation = await allocate(inside, portions)
    await allocation.take()
    return allocation.portions
  })

export async function makeLocation(client: Client, slug: string): Promise<string> {
  const attributes = { name: `At ${slug}`, slug }
  const reply = await client.post('/v2/inventories/locations', {
    data: { type: 'inventory_location', attributes },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body.data.id
}

/** Stock of a new product. */
export async function makeStock(client: Client, attributes: object): Promise<string> {
  const id = randomUUID()
  const reply = await client.post('/v2/inventories', { data: { type: 'stock', id, attributes } }, located)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return id
}

/** Does something to stock as clients of the first dialect do. */
export const act = (
  client: Client,
  id: string,
  action: string,
  quantity: number,
  location?: string,
): Promise<Reply> => client.post(transactionsOf(id), { data: { action, quantity, location } })

export async function stockOf(client: Client, id: string) {
  const { status, body } = await client.get(`/v2/inventories/${id}`, located)
  return status === 200 ? body.data.attributes : undefined
}

export const level = (available: number, allocated: number) => ({
  available,
  allocated,
  total: available + allocated,
})

interface Database {
  sql(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
}

const quantity = `(doc->'attributes'->>'quantity')::bigint`

/** What transactions have come to. */
export const happened = {
  available: `sum(CASE WHEN action IN ('increment', 'deallocate') THEN ${quantity} ELSE -${quantity} END)`,
  allocated: `sum(CASE action WHEN 'allocate' THEN ${quantity} WHEN 'deallocate' THEN -${quantity} ELSE 0 END)`,
}

/** Products whose levels are not the sums of what has happened to them, or are not what is shown: there are none. */
export async function mustAgree({ sql }: Database): Promise<void> {
  const { rows } = await sql(
    `WITH happened AS (
       SELECT store_id, stock_id, coalesce(location, '') AS slug, 
         ${happened.available} AS available, ${happened.allocated} AS allocated
       FROM stock_transactions GROUP BY 1, 2, 3
     ), there AS (
       SELECT l.store_id, l.stock_id, coalesce(i.slug, '') AS slug, l.available, l.allocated
       FROM stock_levels l LEFT JOIN inventory_locations i ON i.store_id = l.store_id AND i.id = l.location_id
     )
     SELECT stock_id AS id FROM happened h FULL JOIN there t USING (store_id, stock_id, slug)
     WHERE coalesce(h.available, 0) <> coalesce(t.available, 0) OR coalesce(h.allocated, 0) <> coalesce(t.allocated, 0)
     UNION ALL
     SELECT s.id FROM stocks s CROSS JOIN stock_documents(s.store_id, ARRAY[s.id]) shown
     WHERE s.doc::jsonb <> shown.doc::jsonb`,
  )
  expect(rows, 'products whose stock is not the sum of its transactions').toEqual([])
}
