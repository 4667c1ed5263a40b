import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'

export const curatedMax = 20

const source = 'data.attributes.curated_products'

/** Refuses duplicates and products that are not in the node. Keeps the others in it until the transaction ends. */
export async function mustBeInNode({ store }: Work, id: string, products: readonly string[]): Promise<void> {
  if (new Set(products).size < products.length) {
    throw new Problem('unprocessable', 'Each curated product must be listed only once.', { source })
  }
  // The lock keeps others from removing products and from curating.
  await store.lock({ table: 'nodes' }, id)
  if (!products.length) return
  const rows = await store.readAndLock(
    'SELECT id FROM node_products WHERE store_id = $1 AND node_id = $2 AND id = ANY($3::uuid[]) ORDER BY id',
    id,
    products,
  )
  const idsInNode = new Set(rows.map(([product]) => product))
  const missing = products.find((product) => !idsInNode.has(product))
  if (missing === undefined) return
  throw new Problem('unprocessable', `The node does not have this product: ${missing}`, { source })
}

/** Makes these the curated products of the node. */
export async function curate({ store }: Work, id: string, products: readonly string[]): Promise<void> {
  await store.runLong(
    `UPDATE node_products p SET curated = array_position($3::uuid[], p.id)
     WHERE p.store_id = $1 AND p.node_id = $2 AND (p.curated IS NOT NULL OR p.id = ANY($3::uuid[]))`,
    id,
    products,
  )
}
