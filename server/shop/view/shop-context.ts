import type { CatalogEdition } from '../publishing/editions.ts'

/** What products are read and priced from: an edition of a catalog, some price books, and an instant. */
export interface ShopContext {
  readonly published: CatalogEdition
  /** The price books that apply, strongest first. */
  readonly books: readonly string[]
  /** The catalog's own price books, if a rule replaces them. Their prices are shown as list prices. */
  readonly listBooks?: readonly string[]
  /** The price books that apply and that the edition lacks. Their prices are the live ones. */
  readonly unpublishedBooks?: readonly string[]
  readonly at: Date
}

/** The price books that apply: those of the rule, if the catalog allows that, otherwise its own. */
export const pricebooksFor = (
  { sources }: CatalogEdition,
  named: readonly string[] | undefined,
  unpublished: readonly string[] = [],
): Pick<ShopContext, 'books' | 'listBooks' | 'unpublishedBooks'> => ({
  ...(sources.segmented && named
    ? { books: named, listBooks: sources.ownPricebookIds }
    : { books: sources.ownPricebookIds }),
  ...(unpublished.length && { unpublishedBooks: unpublished }),
})

/** The price books of a rule that an edition lacks. */
export const missingBooks = (
  { sources }: CatalogEdition,
  named: readonly string[] = [],
): readonly string[] => (sources.segmented ? named.filter((id) => !sources.pricebookIds.includes(id)) : [])
