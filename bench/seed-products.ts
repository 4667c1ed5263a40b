import pg from 'pg'
import { mergeTotals } from '../server/kernel/query/merge-totals.ts'
import type { Instance } from '../server/kernel/work/context.ts'
import type { CreatedObject, OwnServer } from './own-server.ts'

/** The seeded products. */
export interface SeededProducts {
  readonly storeId: string
  /** In the middle of the list. */
  readonly productId: string
  readonly hierarchyId: string
  readonly nodeId: string
}

const perStatement = 50_000
const nodes = 10
/**
 * One product in `templated` has an entry of the template, and one in `nodeless` is in no node. Half are in the first
 * node.
 */
export const [templated, nodeless] = [5, 100]

/**
 * Placeholders in the texts of the product that is copied: for the number of the copy, and for the number within a
 * thousand. No copy has one of these numbers.
 */
const [number, group] = ['424242', '737373']

const attributes = {
  name: `Product ${number}`,
  description: `What product ${number} is in a few words. `.repeat(5),
  slug: `product-${number}`,
  sku: `sku-${number}`,
  mpn: `mpn-${group}`,
  upc_ean: number,
  external_ref: `ext-${number}`,
  status: 'live',
  commodity_type: 'physical',
  tags: ['sold', `tag-${group}`],
  shopper_attributes: { hue: `hue-${group}` },
}

/** Ordered by creation, like the ids that the server creates. */
const uuidOf = `(lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0')
  || '8' || left(md5(i::text), 15))::uuid`

const filled = (text: string) =>
  `replace(replace(${text}, '${number}', n.i::text), '${group}', (n.i % 1000)::text)`

/**
 * Creates one product as clients do, with an entry of a template and in a node, and copies its rows by SQL: creating a
 * million through the triggers would take an hour.
 */
export async function seedProducts(server: OwnServer, rows: number): Promise<SeededProducts> {
  const product = await makeOne(server)
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      'CREATE TEMP TABLE numbers (i integer PRIMARY KEY, id uuid NOT NULL, t timestamptz(3) NOT NULL)',
    )
    for (let from = 1; from <= rows; from += perStatement) {
      await client.query('TRUNCATE numbers')
      await client.query(
        `INSERT INTO numbers SELECT i, ${uuidOf}, t
         FROM (SELECT i, timestamptz '2026-01-01' + i * interval '20 ms' AS t FROM generate_series($1::int, $2::int) i) s
         WHERE i NOT IN (${number}, ${group})`,
        [from, Math.min(rows, from + perStatement - 1)],
      )
      await client.query('ANALYZE numbers')
      for (const text of copies) await client.query(text, [product.productId])
      await client.query(copiesInNodes, [product.productId, product.nodeIds])
    }
    await client.query(totals)
  } finally {
    await client.end()
  }
  await mergeTotals.run({ database: server.database } as Instance)
  await server.database.run({ text: 'VACUUM ANALYZE', values: [] })
  await server.database.run({ text: 'CHECKPOINT', values: [] })
  const [row] = await server.database.run({
    text: 'SELECT store_id, id FROM products ORDER BY created_at LIMIT 1 OFFSET $1',
    values: [Math.floor(rows / 2)],
  })
  const [storeId, productId] = row as [string, string]
  return { storeId, productId, hierarchyId: product.hierarchyId, nodeId: product.nodeIds[0] as string }
}

const copies = [
  `INSERT INTO products (store_id, id, created_at, updated_at, doc, hidden)
   SELECT p.store_id, n.id, n.t, n.t, ${filled('p.doc::text')}::json, p.hidden FROM products p, numbers n WHERE p.id = $1`,
  `INSERT INTO product_values (store_id, product_id, name, place, text_head, text_tail)
   SELECT v.store_id, n.id, v.name, v.place, ${filled('v.text_head')}, v.text_tail
   FROM product_values v, numbers n WHERE v.product_id = $1`,
  `INSERT INTO tags (store_id, id, created_at, updated_at, doc)
   SELECT g.store_id, md5(${filled('g.value')})::uuid, n.t, n.t, ${filled('g.doc::text')}::json
   FROM tags g JOIN product_values v ON v.store_id = g.store_id AND v.product_id = $1 AND v.text_head = g.value, numbers n
   WHERE n.i <= 1000 ON CONFLICT DO NOTHING`,
  `INSERT INTO flow_entries (store_id, flow_id, id, created_at, updated_at, doc, hidden)
   SELECT e.store_id, e.flow_id, n.id, n.t, n.t, ${filled('e.doc::text')}::json,
     replace(e.hidden::text, $1::uuid::text, n.id::text)::json
   FROM flow_entries e, numbers n WHERE e.id = $1 AND n.i % ${templated} = 0`,
  `INSERT INTO entry_values (store_id, field_id, entry_id, element, text_head, text_tail, number_value)
   SELECT v.store_id, v.field_id, n.id, v.element, ${filled('v.text_head')}, v.text_tail, v.number_value + n.i % 1000
   FROM entry_values v, numbers n WHERE v.entry_id = $1 AND n.i % ${templated} = 0`,
  `INSERT INTO product_templates (store_id, product_id, id, created_at, updated_at, doc)
   SELECT l.store_id, n.id, l.id, n.t, n.t, l.doc
   FROM product_templates l, numbers n WHERE l.product_id = $1 AND n.i % ${templated} = 0`,
]

const copiesInNodes = `INSERT INTO node_products (store_id, node_id, id, created_at, updated_at, doc, product_updated_at)
  SELECT l.store_id, ($2::uuid[])[CASE n.i % 2 WHEN 0 THEN 1 ELSE 1 + n.i % ${nodes} END], n.id, n.t, n.t, l.doc, n.t
  FROM node_products l, numbers n WHERE l.id = $1 AND n.i % ${nodeless} <> 0`

/** Writes the counters of these lists, and a delta of zero, so that the next merge creates their blocks. */
const totals = `WITH counted (list, store_id, scope, n) AS (
    SELECT 'products', store_id, store_id, count(*) FROM products GROUP BY store_id
    UNION ALL SELECT 'tags', store_id, store_id, count(*) FROM tags GROUP BY store_id
    UNION ALL SELECT 'flow_entries.flow_id', store_id, flow_id, count(*) FROM flow_entries GROUP BY store_id, flow_id
    UNION ALL SELECT 'node_products.node_id', store_id, node_id, count(*) FROM node_products GROUP BY store_id, node_id
  ), gone AS (
    DELETE FROM list_deltas d USING counted c WHERE (d.store_id, d.list, d.scope) = (c.store_id, c.list, c.scope)
  ), kept AS (
    INSERT INTO list_totals (list, store_id, scope, n) SELECT list, store_id, scope, n FROM counted
    ON CONFLICT (store_id, list, scope) DO UPDATE SET n = excluded.n
  )
  INSERT INTO list_deltas SELECT list, store_id, scope, '-infinity', scope, 0, '-infinity' FROM counted`

async function makeOne({ call }: OwnServer) {
  const post = async (path: string, data: object) =>
    (await call<{ data: CreatedObject }>('POST', path, data, 201)).data.id
  const flow = { type: 'flow', name: 'Book', slug: 'products(book)', description: 'Books', enabled: true }
  const flowId = await post('/v2/flows', flow)
  for (const [slug, field_type] of [
    ['isbn', 'string'],
    ['pages', 'integer'],
    ['bound', 'boolean'],
  ]) {
    const relationships = { flow: { data: { type: 'flow', id: flowId } } }
    await post('/v2/fields', { type: 'field', name: slug, slug, field_type, relationships })
  }
  const productId = await post('/pcm/products', { type: 'product', attributes })
  await post(`/v2/flows/products(book)/entries`, {
    ...{ type: 'entry', id: productId, isbn: `978-${number}`, pages: 1, bound: true },
  })
  await call(
    'POST',
    `/pcm/products/${productId}/relationships/templates`,
    [{ type: 'template', id: flowId }],
    201,
  )
  const hierarchyId = await post('/pcm/hierarchies', {
    type: 'hierarchy',
    attributes: { name: 'All', slug: 'all' },
  })
  const nodeIds: string[] = []
  for (let i = 0; i < nodes; i++) {
    const shelf = { name: `Shelf ${i}`, slug: `shelf-${i}` }
    nodeIds.push(await post(`/pcm/hierarchies/${hierarchyId}/nodes`, { type: 'node', attributes: shelf }))
  }
  const links = [{ type: 'product', id: productId }]
  await call('POST', `/pcm/hierarchies/${hierarchyId}/nodes/${nodeIds[0]}/relationships/products`, links, 201)
  return { productId, hierarchyId, nodeIds }
}
