import type { Work } from '../../kernel/work/context.ts'
import type { StoredModifier, StoredPrice } from '../pricebooks/stored-prices.ts'
import type { Item } from './item.ts'
import type { BookPrices } from './resolve-price.ts'

/**
 * Reads the prices of items from price books. There are two sources: `livePrices` reads price books as the merchant
 * has them, and `publishedPrices` in `shop/publishing/` reads them as an edition of a catalog has them.
 */
export type PriceSource = (pricebookIds: readonly string[], items: readonly Item[]) => Promise<PriceTable>

/** The prices and price modifiers of the items that were read. */
export interface PriceTable {
  bookPrices(pricebookId: string, item: Pick<Item, 'sku' | 'parentSku'>): BookPrices
}

/** The keys of prices and price modifiers, each once. */
interface PriceKeys {
  readonly skus: readonly string[]
  readonly modifierNames: readonly string[]
}

export function priceKeysOf(items: readonly Item[]): PriceKeys {
  const skus = items.flatMap(({ sku, parentSku }) => [sku ?? [], parentSku ?? []].flat())
  const names = items.flatMap(({ modifierNames }) => modifierNames)
  return { skus: [...new Set(skus)], modifierNames: [...new Set(names)] }
}

/** The kind (`price` or `modifier`), the price book, the SKU or the name of the modifier, and the document. */
type PriceRow = readonly (string | null | undefined)[]

type ByBook<T> = Map<string, Record<string, T>>

/** Rows of any other kind are ignored. */
export function toPriceTable(rows: readonly PriceRow[]): PriceTable {
  const prices: ByBook<StoredPrice> = new Map()
  const modifiers: ByBook<StoredModifier> = new Map()
  for (const [kind, book, key, doc] of rows) {
    if (kind === 'price') add(prices, book as string, key as string, doc as string)
    if (kind === 'modifier') add(modifiers, book as string, key as string, doc as string)
  }
  const priceOf = (book: string, sku: string | undefined) =>
    sku === undefined ? undefined : prices.get(book)?.[sku]
  return {
    bookPrices: (pricebookId, { sku, parentSku }) => ({
      pricebookId,
      price: priceOf(pricebookId, sku),
      parentPrice: priceOf(pricebookId, parentSku),
      modifiers: modifiers.get(pricebookId),
    }),
  }
}

function add<T>(byBook: ByBook<T>, book: string, key: string, doc: string): void {
  // Without a prototype: merchants may use the name of any member as a key.
  const ofBook = byBook.get(book) ?? Object.create(null)
  byBook.set(book, ofBook)
  ofBook[key] = JSON.parse(doc)
}

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
): ReturnType<Work['store']['run']> {
  return pricebookIds.length && skus.length ? store.run(liveSql, pricebookIds, skus, modifierNames) : []
}
