import type { Work } from '../kernel/context.ts'

interface Named {
  readonly pricebook_id?: string | null | undefined
  readonly pricebook_ids?: readonly { readonly id: string }[] | null | undefined
  readonly enable_price_segmentation?: boolean | undefined
}

/** The price books whose prices are published with a catalog: its own, and those that rules may choose instead. */
export async function publishedPricebooks(
  { store }: Work,
  catalogId: string,
  { pricebook_id, pricebook_ids, enable_price_segmentation }: Named,
): Promise<readonly string[]> {
  const own = [pricebook_id ?? [], (pricebook_ids ?? []).map(({ id }) => id)].flat()
  if (!enable_price_segmentation) return own
  const rows = await store.rows(
    `SELECT DISTINCT b.book->>'id' FROM catalog_rules r
     CROSS JOIN json_array_elements(r.doc->'attributes'->'pricebook_ids') b (book)
     WHERE r.store_id = $1 AND r.catalog_id = $2 AND json_typeof(r.doc->'attributes'->'pricebook_ids') = 'array'`,
    catalogId,
  )
  return [...new Set([...own, ...rows.map(([id]) => id as string)])].sort()
}
