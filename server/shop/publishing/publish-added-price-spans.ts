import { columns, json, optionalText } from '../../kernel/storage/columns.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import type { Item } from '../../prices/index.ts'
import type { Publication } from '../sources/publication.ts'
import { type Priceable, publishedItem } from '../sources/published-item.ts'
import { findPriceSpans } from './find-price-spans.ts'
import { insertSpans } from './publish-price-spans.ts'

/** How many products are processed together. */
const chunkMax = 1000

/** No product has more spans per addition. */
const placesMax = 100_000

/** An addition of price books to a published edition. */
interface Addition extends Pick<Publication, 'work' | 'catalogId' | 'edition' | 'pricebookIds'> {
  /** The number of additions to this edition, including this one. */
  readonly additions: number
}

/**
 * Publishes the effective prices of the listed products by these price books. It never looks up rows that the same
 * transaction writes: see docs/decisions/0025-releases.md.
 */
export async function publishAddedPriceSpans(addition: Addition): Promise<void> {
  const all = await possiblyPriced(addition)
  const find = (ids: readonly string[]) => itemsOf(addition, ids)
  for (let from = 0; from < all.length; from += chunkMax) {
    const items = await find(all.slice(from, from + chunkMax))
    const spansOf = await findPriceSpans(addition, items, find)
    const priced = items.flatMap((item) => {
      const spans = spansOf(item)
      return spans.length ? [{ id: item.id, spans }] : []
    })
    await insertSpans(addition, priced, addition.additions * placesMax)
  }
}

const ofEdition = `store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}`

/** The listed products that may have a price in these price books, except bundles that cannot be bought. */
async function possiblyPriced({
  work,
  catalogId,
  edition,
  pricebookIds,
}: Addition): Promise<readonly string[]> {
  const skus = 'SELECT s.sku FROM prices s WHERE s.store_id = $1 AND s.pricebook_id = ANY($4::uuid[])'
  const rows = await work.store.runLong(
    `SELECT id FROM published_products
     WHERE ${ofEdition} AND listed_in IS NOT NULL AND CASE
       WHEN product_type = 'bundle' THEN hidden->'unfilled' IS NULL
       ELSE sku IN (${skus}) OR parent_id IS NOT NULL AND hidden->>'parent_sku' IN (${skus}) END
     ORDER BY id`,
    catalogId,
    edition,
    pricebookIds,
  )
  return rows.map(([id]) => id as string)
}

const itemColumns = columns({
  id: 'id',
  attributes: [
    `json_build_object('sku', doc->'attributes'->'sku', 'price_modifiers',
       coalesce(doc->'attributes'->'price_modifiers', '[]'::json))`,
    json<Priceable['attributes']>,
  ],
  meta: [
    "json_build_object('bundle_configuration', doc->'meta'->'bundle_configuration')",
    json<Priceable['meta']>,
  ],
  parentSku: ["hidden->>'parent_sku'", optionalText],
})

/** Products as the edition has them. */
async function itemsOf(
  { work, catalogId, edition }: Addition,
  ids: readonly string[],
): Promise<readonly Item[]> {
  const rows = await work.store.runLong(
    `SELECT ${itemColumns.sql} FROM unnest($4::uuid[]) AS requested (value) JOIN published_products ON id = requested.value
     WHERE ${ofEdition}`,
    catalogId,
    edition,
    ids,
  )
  return rows
    .map(itemColumns.read)
    .map(({ parentSku, ...item }) => publishedItem({ ...item, facts: { parent_sku: parentSku } }))
}
