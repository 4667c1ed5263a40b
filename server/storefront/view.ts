import type { ChosenCatalog } from '../catalogs/index.ts'
import type { DisplayCurrency } from '../pricing/index.ts'
import type { Published } from '../publishing/index.ts'

/** What is looked at, and how: a published edition of a catalog, for somebody, at an instant. */
export interface View {
  readonly published: Published
  /** The price books whose prices count, the strongest first. */
  readonly books: readonly string[]
  /** The catalog's own, where a rule names others in their place: what they say is told beside, as the list price. */
  readonly listBooks?: readonly string[]
  /** Among the price books that count, those that the edition does not have: their prices are as they are now. */
  readonly unpublishedBooks?: readonly string[]
  readonly at: Date
  /** What amounts are shown in beside the amounts themselves. */
  readonly currency: DisplayCurrency | undefined
  /** The most preferred first. */
  readonly languages: readonly string[]
  /** What stands before the paths of links: `/catalog`. */
  readonly prefix: string
  /** Links of a page name the release by its id, as their address does not: going on, one sees what one saw before. */
  readonly pinned: boolean
  /** The price books of which all prices are told, for the merchant. */
  readonly availableBooks?: readonly string[]
  /** What is said of why things are as they are, where it is asked for. */
  readonly explains?: { readonly chosen?: ChosenCatalog }
}
