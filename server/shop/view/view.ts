import type { DisplayCurrency } from '../../prices/index.ts'
import type { ChosenCatalog } from '../catalogs/catalog-for.ts'
import type { ShopContext } from './shop-context.ts'

/** What is shown, and how: the products and nodes of a shop context, for a shopper or for the merchant. */
export interface View extends ShopContext {
  /** Amounts are formatted in this currency. */
  readonly currency: DisplayCurrency | undefined
  /** Most preferred first. */
  readonly languages: readonly string[]
  /** What links begin with: `/catalog`. */
  readonly prefix: string
  /**
   * Whether links of a page name the release by its id, because their path does not. The next page is then of the
   * same edition.
   */
  readonly pinned: boolean
  /** The price books of which all prices are shown, for the merchant. */
  readonly availableBooks?: readonly string[]
  /** Present where the caller asks for an explanation. */
  readonly explains?: { readonly chosen?: ChosenCatalog }
}
