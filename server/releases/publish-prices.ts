import type { Publication } from './publication.ts'

/** The prices and price modifiers of these price books, as they are in this edition. */
export async function publishPrices(
  publication: Publication,
  pricebookIds: readonly string[],
): Promise<void> {
  await publishAll(publication, pricebookIds, {
    from: 'prices',
    into: 'published_prices',
    called: 'sku',
  })
  await publishAll(publication, pricebookIds, {
    from: 'price_modifiers',
    into: 'published_price_modifiers',
    called: 'name',
  })
}

interface Tables {
  readonly from: string
  readonly into: string
  /** What a row is looked up by. */
  readonly called: string
}

/** A row that is another version, or in none of the price books any more, ends. */
async function publishAll(
  { work, catalogId, edition }: Publication,
  pricebookIds: readonly string[],
  { from, into, called }: Tables,
): Promise<void> {
  await work.store.bulk(
    `UPDATE ${into} p SET until = $3::int WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.until = 2147483647
       AND NOT EXISTS (
         SELECT FROM ${from} s WHERE s.store_id = $1 AND s.id = p.id AND s.version = p.version
           AND s.pricebook_id = p.pricebook_id AND s.pricebook_id = ANY($4::uuid[]))`,
    catalogId,
    edition,
    pricebookIds,
  )
  await work.store.bulk(
    `INSERT INTO ${into} (store_id, catalog_id, since, id, pricebook_id, ${called}, version, doc)
     SELECT $1, $2, $3::int, s.id, s.pricebook_id, s.${called}, s.version, s.doc->'attributes' FROM ${from} s
     WHERE s.store_id = $1 AND s.pricebook_id = ANY($4::uuid[]) AND NOT EXISTS (
       SELECT FROM ${into} p
       WHERE p.store_id = $1 AND p.catalog_id = $2 AND p.id = s.id AND p.until = 2147483647)`,
    catalogId,
    edition,
    pricebookIds,
  )
}
