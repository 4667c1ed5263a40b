import type { Work } from '../kernel/context.ts'
import type { Published } from '../releases/index.ts'

/** The listed products that an edition shows otherwise than the one before, or all of them. */
export async function changedIds(
  { store }: Pick<Work, 'store'>,
  { catalogId, edition }: Published,
  all: boolean,
): Promise<readonly string[]> {
  const listed = 'p.store_id = $1 AND p.listed_in = $2::uuid AND p.since <= $3::int AND p.until > $3::int'
  // A child has the price of its parent, where it has none.
  const rows = await store.bulk(
    all
      ? `SELECT p.id FROM published_products p WHERE ${listed} ORDER BY p.id`
      : `WITH repriced AS MATERIALIZED (
           SELECT DISTINCT sku FROM published_prices
           WHERE store_id = $1 AND catalog_id = $2 AND (since = $3::int OR until = $3::int)
         ), themselves AS MATERIALIZED (
           SELECT p.id FROM repriced r JOIN published_products p
             ON p.store_id = $1 AND p.catalog_id = $2 AND p.sku = r.sku WHERE ${listed}
         )
         SELECT id FROM themselves
         UNION SELECT p.id FROM themselves t JOIN published_products p
           ON p.store_id = $1 AND p.catalog_id = $2 AND p.parent_id = t.id WHERE ${listed}
         UNION SELECT p.id FROM published_products p WHERE p.catalog_id = $2 AND p.since = $3::int AND ${listed}
         ORDER BY id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}

/** The products that are listed no more. */
export async function deletedIds(
  { store }: Pick<Work, 'store'>,
  { catalogId, edition }: Published,
): Promise<readonly string[]> {
  const rows = await store.bulk(
    `SELECT o.id FROM published_products o
     WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.until = $3::int AND o.listed_in IS NOT NULL AND NOT EXISTS (
       SELECT FROM published_products p WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = o.id
         AND p.since <= $3::int AND p.until > $3::int AND p.listed_in IS NOT NULL)
     ORDER BY o.id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}
