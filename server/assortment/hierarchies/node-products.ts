import { type Resource, resource } from '../../kernel/declare/resource.ts'
import type { Work } from '../../kernel/work/context.ts'
import { hierarchyEnvelope } from './envelope.ts'
import { nodeIn, nodes } from './nodes.ts'

/** The products of a node. Each row has the id of a product, and lists show that product. */
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

/** Adds the `products` that meet a condition to these nodes. Existing links stay unchanged. */
export const attachProducts = ({ store }: Work, nodeIds: readonly string[], condition: Condition) =>
  store.insertFrom(nodeProducts, {
    columns: ['node_id', 'id', 'doc', 'product_updated_at'],
    // Everyone locks products in this order, so there are no deadlocks.
    rows: (bind) =>
      `SELECT node.id, products.id, '{}'::json, products.updated_at
       FROM unnest(${bind(nodeIds)}::uuid[]) AS node (id) CROSS JOIN products
       WHERE products.store_id = $1 AND ${condition(bind)} ORDER BY products.id`,
    unchanged: 'products',
  })

/** Removes the `products` that meet a condition from these nodes, and from their curated products. */
export async function detachProducts({ store }: Work, nodeIds: readonly string[], condition: Condition) {
  // The lock keeps others from curating.
  await store.lock(nodes, ...nodeIds)
  return store.removeAll(
    nodeProducts,
    (bind) =>
      `r.node_id = ANY(${bind(nodeIds)}::uuid[]) AND r.id IN (
         SELECT products.id FROM products WHERE products.store_id = $1 AND ${condition(bind)})`,
  )
}
