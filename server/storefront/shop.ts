import type { Shopper } from '../catalogs/index.ts'
import type { Work } from '../kernel/work/context.ts'
import { type DisplayCurrency, displayCurrency, type Shop, toPriceTable } from '../pricing/index.ts'
import { publishedPrices } from '../publishing/index.ts'
import { findShop } from './find-shop.ts'
import {
  findPublishedRows,
  findPublishedRowsBySku,
  type PublishedRow,
  type ShopItem,
  shopItem,
} from './published-row.ts'
import type { ShopContext } from './shop-context.ts'

/** A shop, and the currencies that its prices may be in. */
interface CurrentShop extends Shop<ShopItem> {
  readonly currencies: readonly DisplayCurrency[]
}

/**
 * The shop of a shopper, who need not be the caller, to quote products from. `asOf` is the instant of the edition
 * (default: the current edition); `currency` is the requested currency code.
 */
export async function shopOf(
  work: Work,
  shopper: Shopper,
  { asOf, currency }: { readonly asOf?: Date; readonly currency?: string } = {},
): Promise<CurrentShop> {
  const { context, currencies, holdsUntil } = await findShop(work, shopper, { asOf })
  const code = displayCurrency(currency, currencies)?.code
  if (context) return { ...shopIn(work, context, code), currencies, holdsUntil: holdsUntil() }
  return { ...emptyShop, currencies, currency: code, at: shopper.at, holdsUntil: holdsUntil() }
}

const emptyShop = {
  isPublished: false,
  books: [],
  prices: async () => toPriceTable([]),
  findItems: async () => [],
  findItemsBySku: async () => [],
}

/** The shop of a shop context. */
export function shopIn(
  work: Pick<Work, 'store'>,
  context: ShopContext,
  currency: string | undefined,
): Shop<ShopItem> {
  const { published, books, unpublishedBooks, at } = context
  return {
    isPublished: true,
    books,
    currency,
    at,
    holdsUntil: undefined,
    prices: publishedPrices(work, published, unpublishedBooks),
    findItems: async (ids) => toItems(await findPublishedRows(work, context, ids)),
    findItemsBySku: async (skus) => toItems(await findPublishedRowsBySku(work, context, skus)),
  }
}

const toItems = (rows: ReadonlyMap<string, PublishedRow>): readonly ShopItem[] =>
  [...rows.values()].map((row) => shopItem(row))
