import type { Work } from '../../kernel/work/context.ts'
import { type PriceKeys, type PriceSource, priceKeysOf, toPriceTable } from './price-source.ts'

type Rows = ReturnType<Work['store']['run']>

/** Price books as the merchant has them now. */
export const livePrices =
  (work: Pick<Work, 'store'>): PriceSource =>
  async (pricebookIds, items) =>
    toPriceTable(await readLivePrices(work, pricebookIds, priceKeysOf(items)))

/** The rows of `toPriceTable`. `$2` are price books, `$3` SKUs and `$4` names of price modifiers. */
const liveSql = `
  SELECT 'price', pricebook_id, sku, doc->'attributes' FROM prices
  WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) AND sku = ANY($3::text[])
  UNION ALL
  SELECT 'modifier', pricebook_id, name, doc->'attributes' FROM price_modifiers
  WHERE store_id = $1 AND pricebook_id = ANY($2::uuid[]) AND name = ANY($4::text[])`

export async function readLivePrices(
  { store }: Pick<Work, 'store'>,
  pricebookIds: readonly string[],
  { skus, modifierNames }: PriceKeys,
): Rows {
  return pricebookIds.length && skus.length ? store.run(liveSql, pricebookIds, skus, modifierNames) : []
}
