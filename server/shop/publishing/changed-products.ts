import { isCurrent } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Publication } from '../sources/publication.ts'
import { componentProducts } from '../sources/published-product.ts'
import type { Edition } from './editions.ts'
import type { ChangedPriceKeys } from './publish-prices.ts'

interface FeedRange {
  /** Changes after this position of the feed count. */
  readonly position: number
  readonly movedNodeIds: readonly string[]
  readonly repriced: ChangedPriceKeys
}

/** Products whose published row or price may have changed. */
export async function findChangedProducts(
  { work, catalogId }: Publication,
  { position, movedNodeIds, repriced }: FeedRange,
): Promise<readonly string[]> {
  const rows = await work.store.runLong(
    `WITH RECURSIVE change AS (
       SELECT DISTINCT source, id, scope FROM changes
       WHERE store_id = $1 AND position > $3
         AND source IN ('products', 'node_products', 'product_variations', 'product_variation_modifiers')
     ), themselves AS (
       SELECT id FROM change WHERE source IN ('products', 'node_products')
       UNION
       SELECT l.id FROM node_products l WHERE l.store_id = $1 AND l.node_id = ANY($4::uuid[])
       UNION
       SELECT p.id FROM products p WHERE p.store_id = $1 AND p.sku = ANY($5::text[])
       UNION
       SELECT p.id FROM (
         -- A change of an option makes a new version of its variation too.
         SELECT id AS variation_id FROM change WHERE source = 'product_variations'
         UNION
         SELECT o.variation_id FROM change c
         JOIN product_variation_options o ON o.store_id = $1 AND o.id = c.scope
         WHERE c.source = 'product_variation_modifiers'
         UNION
         SELECT m.variation_id FROM product_variation_modifiers m
         WHERE m.store_id = $1 AND m.type = 'price' AND m.doc->'attributes'->>'reference_name' = ANY($6::text[])
       ) v JOIN products p ON p.store_id = $1
         AND p.variations @> jsonb_build_array(jsonb_build_object('id', v.variation_id))
     ), family AS (
       SELECT id FROM themselves
       UNION
       SELECT p.parent_id FROM products p JOIN themselves t ON p.store_id = $1 AND p.id = t.id AND p.parent_id IS NOT NULL
       UNION
       SELECT p.parent_id FROM published_products p JOIN themselves t
         ON p.store_id = $1 AND p.catalog_id = $2 AND p.id = t.id AND ${isCurrent('p')} AND p.parent_id IS NOT NULL
       UNION
       SELECT c.id FROM products c JOIN themselves t ON c.store_id = $1 AND c.parent_id = t.id
     ), all_of_them AS (
       SELECT id FROM family
       UNION
       SELECT part.id FROM all_of_them a CROSS JOIN LATERAL (
         SELECT c.id FROM product_components c WHERE c.store_id = $1 AND c.bundle_id = a.id
         UNION ALL
         SELECT r.id FROM published_products p JOIN published_relations r
           ON r.store_id = p.store_id AND r.catalog_id = p.catalog_id AND r.product_id = p.id AND r.since = p.since
         WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = a.id AND ${isCurrent('p')}
           AND r.name = '${componentProducts}'
       ) part
     ), bundles AS (
       SELECT id FROM family
       UNION
       SELECT bundle.id FROM bundles b CROSS JOIN LATERAL (
         SELECT c.bundle_id AS id FROM product_components c WHERE c.store_id = $1 AND c.id = b.id
         UNION ALL
         SELECT p.id FROM published_relations r JOIN published_products p
           ON p.store_id = r.store_id AND p.catalog_id = r.catalog_id AND p.id = r.product_id AND p.since = r.since
         WHERE r.store_id = $1 AND r.catalog_id = $2 AND r.id = b.id AND r.name = '${componentProducts}'
           AND ${isCurrent('p')}
       ) bundle
     )
     SELECT id FROM all_of_them UNION SELECT id FROM bundles
     UNION SELECT c.id FROM products c JOIN all_of_them a ON c.store_id = $1 AND c.parent_id = a.id ORDER BY id`,
    catalogId,
    position,
    movedNodeIds,
    repriced.skus,
    repriced.modifiers,
  )
  return rows.map(([id]) => id as string)
}

/** All products that are published or may be. */
export async function findAllProducts({
  work,
  catalogId,
  hierarchyIds,
}: Publication): Promise<readonly string[]> {
  const rows = await work.store.runLong(
    `WITH RECURSIVE listed AS (
       SELECT l.id FROM node_products l JOIN nodes n ON n.store_id = l.store_id AND n.id = l.node_id
       WHERE l.store_id = $1 AND n.hierarchy_id = ANY($3::uuid[])
     ), all_of_them AS (
       SELECT id FROM listed
       UNION SELECT c.id FROM products c JOIN listed l ON c.store_id = $1 AND c.parent_id = l.id
       UNION SELECT c.id FROM all_of_them a JOIN product_components c ON c.store_id = $1 AND c.bundle_id = a.id
     )
     SELECT id FROM all_of_them
     UNION SELECT c.id FROM products c JOIN all_of_them a ON c.store_id = $1 AND c.parent_id = a.id
     UNION SELECT id FROM published_products WHERE store_id = $1 AND catalog_id = $2 AND ${isCurrent()} ORDER BY id`,
    catalogId,
    hierarchyIds,
  )
  return rows.map(([id]) => id as string)
}

/**
 * Whether the change feed has all changes since an edition. The feed drops its oldest changes after a while, and the
 * fields of templates change products without a change in the feed.
 */
export async function isFeedComplete({ store }: Work, { position, sources }: Edition): Promise<boolean> {
  const [row] = await store.run(
    `SELECT EXISTS (SELECT FROM changes WHERE store_id = $1 AND at <= $3::timestamptz) AND NOT EXISTS (
       SELECT FROM changes WHERE store_id = $1 AND position > $2 AND source IN ('flows', 'flow_fields'))`,
    position,
    sources.at,
  )
  return row?.[0] === 't'
}
