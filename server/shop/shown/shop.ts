import type { Work } from '../../kernel/work/context.ts'
import {
  type DisplayCurrency,
  displayCurrency,
  type QuoteRequest,
  type Shop,
  toPriceTable,
} from '../../prices/index.ts'
import type { CatalogShopper } from '../catalogs/shopper-context.ts'
import { publishedPrices } from '../publishing/publish-prices.ts'
import { findShop, findShopInState, type ShopState } from '../view/find-shop.ts'
import type { ShopContext } from '../view/shop-context.ts'
import type { SelectionRefusal } from './configure-bundle.ts'
import {
  findPublishedRows,
  findPublishedRowsBySku,
  type PublishedRow,
  parentsAmong,
  type ShopItem,
  shopItem,
} from './published-row.ts'
import { refuseSelection } from './refuse-selection.ts'
import { rememberItems } from './remember-items.ts'

/** A shop, and the currencies that its prices may be in. */
export interface CurrentShop extends Shop<ShopItem> {
  readonly currencies: readonly DisplayCurrency[]
  /** Says, in their order, why products cannot be bought with the selections of these requests. */
  readonly refuseSelections: (
    requests: readonly QuoteRequest[],
  ) => Promise<readonly (SelectionRefusal | undefined)[]>
  /** Finds the base products among these. */
  readonly parentsAmong: (ids: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * The shop of a shopper, who need not be the caller, to quote products from. `asOf` is the instant of the edition
 * (default: the current edition); `currency` is the requested currency code. With the `state` that the caller has just
 * read, what the process knows of it is not read again.
 */
export async function shopOf(
  work: Work,
  shopper: CatalogShopper,
  {
    asOf,
    currency,
    state,
  }: { readonly asOf?: Date; readonly currency?: string; readonly state?: ShopState } = {},
): Promise<CurrentShop> {
  const found = await (state ? findShopInState(work, shopper, state) : findShop(work, shopper, { asOf }))
  const { context, currencies, holdsUntil } = found
  const code = displayCurrency(currency, currencies)?.code
  if (context) {
    const own = shopIn(work, context, code)
    const shop = state ? rememberItems(work, context, own) : own
    return {
      ...shop,
      ...{ currencies, holdsUntil: holdsUntil() },
      refuseSelections: (requests) => refuseSelections(work, context, shop, requests),
      parentsAmong: (ids) => parentsAmong(work, context, ids),
    }
  }
  return { ...emptyShop, currencies, currency: code, at: shopper.at, holdsUntil: holdsUntil() }
}

const emptyShop = {
  isPublished: false,
  books: [],
  prices: async () => toPriceTable([]),
  findItems: async () => [],
  findItemsBySku: async () => [],
  refuseSelections: async () => [],
  parentsAmong: async () => new Set<string>(),
}

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

async function refuseSelections(
  work: Pick<Work, 'store'>,
  context: ShopContext,
  { findItems, findItemsBySku }: Shop<ShopItem>,
  requests: readonly QuoteRequest[],
): Promise<readonly (SelectionRefusal | undefined)[]> {
  const selecting = requests.filter(({ selection }) => selection)
  const ids = selecting.flatMap((request) => ('id' in request ? [request.id] : []))
  const skus = selecting.flatMap((request) => ('sku' in request ? [request.sku] : []))
  const items = [...(await findItems(ids)), ...(await findItemsBySku(skus))]
  const refusals: (SelectionRefusal | undefined)[] = []
  for (const request of requests) {
    const item = items.find((one) => ('id' in request ? one.id === request.id : one.sku === request.sku))
    const { selection } = request
    refusals.push(item && selection && (await refuseSelection(work, context, item.row, selection)))
  }
  return refusals
}

const toItems = (rows: ReadonlyMap<string, PublishedRow>): readonly ShopItem[] =>
  [...rows.values()].map((row) => shopItem(row))
