import { flowResource } from '../../fields/index.ts'
import { relationship } from '../../kernel/declare/relationship.ts'
import type { Work } from '../../kernel/work/context.ts'
import { products } from './products.ts'

export const templatesMax = 500

export const productTemplates = relationship({
  name: 'product-templates',
  about: 'The templates of a product: flows that add fields to it.',
  path: '/pcm/products/:product_id/relationships/templates',
  owner: () => products,
  target: () => flowResource,
  type: 'template',
  holds: 'many',
  storage: { table: 'product_templates', ownerColumn: 'product_id' },
  inCreate: true,
  most: { n: templatesMax, detail: (n) => `A product may have at most ${n} templates.` },
  area: 'products',
  operations: { list: 200, add: 201, remove: 204 },
})

/** Returns how many of these templates each product may have, besides its other templates. */
export async function roomForTemplates(
  { store }: Work,
  productIds: readonly string[],
  templateIds: readonly string[],
): Promise<(productId: string) => number> {
  const counted = await store.run(
    `SELECT product_id, count(*) FROM product_templates
     WHERE store_id = $1 AND product_id = ANY($2::uuid[]) AND NOT id = ANY($3::uuid[]) GROUP BY product_id`,
    productIds,
    templateIds,
  )
  const others = new Map(counted.map(([id, n]) => [id as string, Number(n)]))
  return (productId) => templatesMax - (others.get(productId) ?? 0)
}

/**
 * Attaches templates to locked products, which may have some of them already. Returns the ids of the products that have
 * a new template. Their versions change only when the caller touches them.
 */
export async function attachTemplates(
  { store, clock }: Work,
  pairs: readonly (readonly [productId: string, templateId: string])[],
): Promise<readonly string[]> {
  if (!pairs.length) return []
  const attached = await store.runLong(
    `INSERT INTO product_templates (store_id, product_id, id, created_at, updated_at, doc)
     SELECT $1, pair.product_id, pair.id, $2, $2, '{}' FROM unnest($3::uuid[], $4::uuid[]) AS pair (product_id, id)
     ON CONFLICT DO NOTHING RETURNING product_id`,
    clock.now(),
    pairs.map(([productId]) => productId),
    pairs.map(([, templateId]) => templateId),
  )
  return attached.map(([id]) => id as string)
}
