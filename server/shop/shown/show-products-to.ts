import type { Work } from '../../kernel/work/context.ts'
import { displayCurrency } from '../../prices/index.ts'
import type { Shopper } from '../catalogs/shopper-context.ts'
import { findShop } from '../view/find-shop.ts'
import { findPublishedRows } from './published-row.ts'
import { showProducts } from './show-products.ts'
import type { ShownProduct } from './shown-fields.ts'

/** What a shopper, who need not be the caller, sees of some products, by id. It lacks those that are not published. */
export async function showProductsTo(
  work: Work,
  shopper: Shopper,
  ids: readonly string[],
  currency: string,
): Promise<ReadonlyMap<string, ShownProduct>> {
  const { context, currencies } = await findShop(work, shopper, {})
  if (!context || !ids.length) return new Map()
  const view = {
    ...context,
    currency: displayCurrency(currency, currencies),
    languages: [],
    prefix: '/catalog',
    pinned: true,
  }
  const rows = await findPublishedRows(work, context, ids)
  const shown = await showProducts(work, view, [...rows.values()])
  return new Map(shown.map((one) => [one.id, one]))
}
