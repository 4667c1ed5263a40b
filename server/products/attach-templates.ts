import type { Work } from '../kernel/work/context.ts'
import { templatesMax } from './product-templates.ts'

/** How many templates each of these products may have beside those, which it may have already. */
export async function roomForTemplates(
  { store }: Work,
  productIds: readonly string[],
  beside: readonly string[],
): Promise<(productId: string) => number> {
  const counted = await store.rows(
    `SELECT product_id, count(*) FROM product_templates
     WHERE store_id = $1 AND product_id = ANY($2::uuid[]) AND NOT id = ANY($3::uuid[]) GROUP BY product_id`,
    productIds,
    beside,
  )
  const others = new Map(counted.map(([id, n]) => [id as string, Number(n)]))
  return (productId) => templatesMax - (others.get(productId) ?? 0)
}

/**
 * Gives products, which are held, templates of which they may have some: each pair once. The ids of the products that
 * have another template now; they are new versions only when the caller has touched them.
 */
export async function attachTemplates(
  { store, clock }: Work,
  pairs: readonly (readonly [productId: string, templateId: string])[],
): Promise<readonly string[]> {
  if (!pairs.length) return []
  const attached = await store.bulk(
    `INSERT INTO product_templates (store_id, product_id, id, created_at, updated_at, doc)
     SELECT $1, pair.product_id, pair.id, $2, $2, '{}' FROM unnest($3::uuid[], $4::uuid[]) AS pair (product_id, id)
     ON CONFLICT DO NOTHING RETURNING product_id`,
    clock.now(),
    pairs.map(([productId]) => productId),
    pairs.map(([, templateId]) => templateId),
  )
  return attached.map(([id]) => id as string)
}
