import { inOrder, type PrioritizedPricebook } from '../catalogs/index.ts'
import type { Work } from '../kernel/context.ts'
import type { MadeOf } from './editions.ts'

interface Named {
  readonly pricebook_id?: string | null | undefined
  readonly pricebook_ids?: readonly PrioritizedPricebook[] | null | undefined
  readonly enable_price_segmentation?: boolean | undefined
}

/** The price books whose prices are published with a catalog: its own, and those that rules may choose instead. */
export async function publishedPricebooks(
  { store }: Work,
  catalogId: string,
  { pricebook_id, pricebook_ids, enable_price_segmentation: segmented = false }: Named,
): Promise<Pick<MadeOf, 'pricebookIds' | 'ownPricebookIds' | 'segmented'>> {
  const own = [pricebook_id ?? [], inOrder(pricebook_ids ?? [])].flat()
  if (!segmented) return { pricebookIds: own, ownPricebookIds: own, segmented }
  const rows = await store.rows(
    `SELECT DISTINCT b.book->>'id' FROM catalog_rules r
     CROSS JOIN json_array_elements(r.doc->'attributes'->'pricebook_ids') b (book)
     WHERE r.store_id = $1 AND r.catalog_id = $2 AND json_typeof(r.doc->'attributes'->'pricebook_ids') = 'array'`,
    catalogId,
  )
  const pricebookIds = [...new Set([...own, ...rows.map(([id]) => id as string)])].sort()
  return { pricebookIds, ownPricebookIds: own, segmented }
}
