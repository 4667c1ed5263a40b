import { type Item, livePrices, type PriceSpan, priceSpans, withParts } from '../../prices/index.ts'
import type { Publication } from '../sources/publication.ts'

/**
 * Finds the effective prices of items by the live price books of a publication, which are in the same snapshot.
 * `find` reads the parts of bundles. One statement reads the prices of all books.
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
