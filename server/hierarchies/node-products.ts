import { type Resource, resource } from '../kernel/declare/resource.ts'
import type { Work } from '../kernel/work/context.ts'
import { hierarchyEnvelope } from './envelope.ts'
import { nodeIn, nodes } from './nodes.ts'

/** Which products are in a node: rows under the products' ids, which are shown as the products they are. */
export const nodeProducts: Resource = resource({
  type: 'product',
  noun: ['node-product', 'node-products'],
  about: 'The relationship of a product to a node.',
  path: '/pcm/hierarchies/:hierarchy_id/nodes/:node_id/products',
  table: 'node_products',
  parent: () => nodes,
  scope: { columns: ['node_id'], of: (_work, { node_id = '' }) => [nodeIn(node_id)] },
  fields: {},
  order: {
    by: '-place',
    about: 'the curated products first, in their order, then the others, the most recently changed first',
  },
  area: 'hierarchies',
  envelope: { ...hierarchyEnvelope, times: 'none' },
  operations: [],
  constraints: {
    node_products_target_fkey: { code: 'not_found', detail: 'product not found', source: 'data' },
    node_products_parent_fkey: { code: 'not_found', detail: 'node not found' },
  },
})

type Condition = (bind: (value: unknown) => string) => string

/** Puts the `products` that meet a condition into these nodes; those that are there stay as they are. */
export const attachProducts = ({ store }: Work, nodeIds: readonly string[], met: Condition) =>
  store.insertFrom(nodeProducts, {
    columns: ['node_id', 'id', 'doc', 'product_updated_at'],
    // In the order that all hold them in.
    rows: (bind) =>
      `SELECT node.id, products.id, '{}'::json, products.updated_at
       FROM unnest(${bind(nodeIds)}::uuid[]) AS node (id) CROSS JOIN products
       WHERE products.store_id = $1 AND ${met(bind)} ORDER BY products.id`,
    unchanged: 'products',
  })

/** Takes the `products` that meet a condition off these nodes, and off what is curated in them. */
export async function detachProducts({ store }: Work, nodeIds: readonly string[], met: Condition) {
  // Nobody curates meanwhile.
  await store.lock(nodes, ...nodeIds)
  return store.removeAll(
    nodeProducts,
    (bind) =>
      `r.node_id = ANY(${bind(nodeIds)}::uuid[]) AND r.id IN (
         SELECT products.id FROM products WHERE products.store_id = $1 AND ${met(bind)})`,
  )
}
