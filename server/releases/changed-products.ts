import type { Work } from '../kernel/context.ts'
import type { Edition } from './editions.ts'
import type { Publication } from './publication.ts'

/** The products that something of what is published of them may be another for, since a position of the change feed. */
export async function changedProducts(
  { work, catalogId }: Publication,
  position: number,
  movedNodeIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await work.store.bulk(
    `WITH RECURSIVE change AS (
       SELECT DISTINCT source, id, scope FROM changes
       WHERE store_id = $1 AND position > $3
         AND source IN ('products', 'node_products', 'product_variation_modifiers')
     ), themselves AS (
       SELECT id FROM change WHERE source <> 'product_variation_modifiers'
       UNION
       SELECT l.id FROM node_products l WHERE l.store_id = $1 AND l.node_id = ANY($4::uuid[])
       UNION
       SELECT p.id FROM (
         SELECT DISTINCT o.variation_id FROM change c
         JOIN product_variation_options o ON o.store_id = $1 AND o.id = c.scope
         WHERE c.source = 'product_variation_modifiers'
       ) v JOIN products p ON p.store_id = $1
         AND p.variations @> jsonb_build_array(jsonb_build_object('id', v.variation_id))
     ), family AS (
       SELECT id FROM themselves
       UNION
       SELECT p.parent_id FROM products p JOIN themselves t ON p.store_id = $1 AND p.id = t.id AND p.parent_id IS NOT NULL
       UNION
       SELECT p.parent_id FROM published_products p JOIN themselves t
         ON p.store_id = $1 AND p.catalog_id = $2 AND p.id = t.id AND p.until = 2147483647 AND p.parent_id IS NOT NULL
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
         WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = a.id AND p.until = 2147483647
           AND r.name = 'component_products'
       ) part
     )
     SELECT id FROM all_of_them ORDER BY id`,
    catalogId,
    position,
    movedNodeIds,
  )
  return rows.map(([id]) => id as string)
}

/** All products that are published, or could be. */
export async function allProducts({
  work,
  catalogId,
  hierarchyIds,
}: Publication): Promise<readonly string[]> {
  const rows = await work.store.bulk(
    `WITH RECURSIVE listed AS (
       SELECT l.id FROM node_products l JOIN nodes n ON n.store_id = l.store_id AND n.id = l.node_id
       WHERE l.store_id = $1 AND n.hierarchy_id = ANY($3::uuid[])
     ), all_of_them AS (
       SELECT id FROM listed
       UNION SELECT c.id FROM products c JOIN listed l ON c.store_id = $1 AND c.parent_id = l.id
       UNION SELECT c.id FROM all_of_them a JOIN product_components c ON c.store_id = $1 AND c.bundle_id = a.id
     )
     SELECT id FROM all_of_them UNION
     SELECT id FROM published_products WHERE store_id = $1 AND catalog_id = $2 AND until = 2147483647 ORDER BY id`,
    catalogId,
    hierarchyIds,
  )
  return rows.map(([id]) => id as string)
}

/**
 * Whether the change feed tells all that changed since an edition: it is kept for a while, the oldest changes go first;
 * and the fields of templates change what is shown of products without a change of theirs.
 */
export async function feedTellsAll({ store }: Work, { position, madeOf }: Edition): Promise<boolean> {
  const [row] = await store.rows(
    `SELECT EXISTS (SELECT FROM changes WHERE store_id = $1 AND at <= $3::timestamptz) AND NOT EXISTS (
       SELECT FROM changes WHERE store_id = $1 AND position > $2 AND source IN ('flows', 'flow_fields'))`,
    position,
    madeOf.at,
  )
  return row?.[0] === 't'
}
