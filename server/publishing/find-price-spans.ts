import { type Item, livePrices, type PriceSpan, priceSpans, withParts } from '../pricing/index.ts'
import type { Publication } from './publication.ts'

/**
 * The effective prices of items by the price books of a publication, as the merchant has these: they are of the same
 * moment as what is published. `find` reads the parts of bundles. The prices of all books are read at once.
 */
export async function findPriceSpans(
  { work, pricebookIds }: Pick<Publication, 'work' | 'pricebookIds'>,
  items: readonly Item[],
  find: (ids: readonly string[]) => Promise<readonly Item[]>,
): Promise<(item: Item) => readonly PriceSpan[]> {
  const all = await withParts(items, find)
  const prices = await livePrices(work)(pricebookIds, [...all.values()])
  return (item) => pricebookIds.flatMap((book) => priceSpans(item, book, { items: all, prices }))
}
