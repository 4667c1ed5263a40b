import type { Published } from '../publishing/index.ts'

/** What products are read and priced from: an edition of a catalog, some price books, and an instant. */
export interface ShopContext {
  readonly published: Published
  /** The price books whose prices count, the strongest first. */
  readonly books: readonly string[]
  /** The catalog's own, where a rule names others in their place: their prices are shown beside, as the list price. */
  readonly listBooks?: readonly string[]
  /** Among the price books that count, those that the edition does not have: their prices are as they are now. */
  readonly unpublishedBooks?: readonly string[]
  readonly at: Date
}

/** The price books that count: those that a rule names, where the catalog lets rules do so; else its own. */
export const pricebooksFor = (
  { madeOf }: Published,
  named: readonly string[] | undefined,
  unpublished: readonly string[] = [],
): Pick<ShopContext, 'books' | 'listBooks' | 'unpublishedBooks'> => ({
  ...(madeOf.segmented && named
    ? { books: named, listBooks: madeOf.ownPricebookIds }
    : { books: madeOf.ownPricebookIds }),
  ...(unpublished.length && { unpublishedBooks: unpublished }),
})

/** The price books that count by their names, and that an edition does not have. */
export const missingBooks = ({ madeOf }: Published, named: readonly string[] = []): readonly string[] =>
  madeOf.segmented ? named.filter((id) => !madeOf.pricebookIds.includes(id)) : []
