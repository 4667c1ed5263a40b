import { inEdition } from '../../kernel/storage/editions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type PriceSource, priceKeysOf, readLivePrices, toPriceTable } from '../../prices/index.ts'
import { type CatalogEdition, EditionGone } from './editions.ts'

/**
 * Reads the price books of an edition of a catalog. `livePricebookIds` are not in the edition, so they are read as
 * the merchant has them now. Throws `EditionGone` if the edition was rolled back, so read prices after products.
 */
export const publishedPrices =
  (
    work: Pick<Work, 'store'>,
    { catalogId, edition, releaseId }: CatalogEdition,
    livePricebookIds: readonly string[] = [],
  ): PriceSource =>
  async (pricebookIds, items) => {
    const keys = priceKeysOf(items)
    const { skus, modifierNames } = keys
    if (!pricebookIds.length || !skus.length) return toPriceTable([])
    const { store } = work
    const names = [modifierNames, modifierNames.map((name) => [...name].slice(0, 128).join(''))]
    const values = [store.id, catalogId, edition, pricebookIds, skus, ...names]
    const published = await store.page({ text: pricesSql, values, page: true })
    const live = await readLivePrices(work, livePricebookIds, keys)
    if (!published.some(([kind, release]) => kind === 'edition' && release === releaseId)) {
      throw new EditionGone()
    }
    return toPriceTable([...published, ...live])
  }

/** `$4` are price books, `$5` SKUs, `$6` names of price modifiers and `$7` their first 128 characters. */
export const pricesSql = `
  SELECT 'price', pricebook_id, sku, doc FROM published_prices
  WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}
    AND sku = ANY($5::text[]) AND pricebook_id = ANY($4::uuid[])
  UNION ALL
  SELECT 'modifier', pricebook_id, name, doc FROM published_price_modifiers
  WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')}
    AND pricebook_id = ANY($4::uuid[]) AND left(name, 128) = ANY($7::text[]) AND name = ANY($6::text[])
  UNION ALL
  SELECT 'edition', release_id, '', NULL FROM catalog_editions
  WHERE store_id = $1 AND catalog_id = $2 AND edition = $3::int AND NOT withdrawn`
