import { inEdition } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { CatalogEdition } from '../publishing/editions.ts'
import { repricedProducts } from '../publishing/repriced-products.ts'

/** The listed products that an edition changed, or all of them. */
export async function changedIds(
  { store }: Pick<Work, 'store'>,
  published: CatalogEdition,
  all: boolean,
): Promise<readonly string[]> {
  const { catalogId, edition, sources } = published
  if (!all && !sources.repricesAll) return repricedProducts(store, published)
  const rows = await store.runLong(
    `SELECT id FROM published_products
     WHERE store_id = $1 AND listed_in = $2::uuid AND ${inEdition('$3::int')} ORDER BY id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}

/** The products that are no longer listed. */
export async function deletedIds(
  { store }: Pick<Work, 'store'>,
  { catalogId, edition }: CatalogEdition,
): Promise<readonly string[]> {
  const rows = await store.runLong(
    `SELECT o.id FROM published_products o
     WHERE o.store_id = $1 AND o.catalog_id = $2 AND o.until = $3::int AND o.listed_in IS NOT NULL AND NOT EXISTS (
       SELECT FROM published_products p WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = o.id
         AND ${inEdition('$3::int', 'p')} AND p.listed_in IS NOT NULL)
     ORDER BY o.id`,
    catalogId,
    edition,
  )
  return rows.map(([id]) => id as string)
}
