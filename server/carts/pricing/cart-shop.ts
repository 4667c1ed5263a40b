import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type DisplayCurrency, displayCurrency, type QuoteRequest } from '../../prices/index.ts'
import {
  type DiscountShopper,
  type EnteredCode,
  loadPromotions,
  loadRulePromotions,
  type StoredPromotion,
} from '../../promotions/index.ts'
import { type CatalogShopper, type ShopItem, shopOf } from '../../shop/index.ts'
import type { Notation } from '../../store/index.ts'
import type { CartValues } from '../contents/cart-fields.ts'
import type { CartLine, Image, ProductLine } from '../contents/contents.ts'
import { imagesOf } from '../contents/images.ts'
import { type PricedCart, stillHolds } from '../contents/priced-cart.ts'
import type { CalculationMethod } from '../totals/totals-cart.ts'
import { readState } from './cart-state.ts'
import { findCodes } from './find-codes.ts'
import { quoteForSale, type SaleQuote } from './quote-for-sale.ts'

export type CartQuote = SaleQuote<CartProduct>

/** A published product, with its main image. */
export interface CartProduct extends ShopItem {
  readonly image: Image | undefined
}

/** A product that is about to be added. */
export type ProductRequest = QuoteRequest

/** The shop of a cart's shopper at one instant, with what its products cost there. */
export interface CartShop {
  /** What the prices depend on: see `cart-state.ts`. */
  readonly state: string
  readonly at: Date
  /** The time of the request, as lines store it. */
  readonly now: string
  readonly currency: Notation
  readonly method: CalculationMethod
  readonly accountTags: readonly string[]
  /** When the shopper may get another catalog or other price books, or lines without a quote another price. */
  readonly holdsUntil: Date | undefined
  /** Quotes the lines that have no quote yet, except those whose prices hold. */
  readonly quoteLines: (lines: readonly CartLine[]) => Promise<void>
  /** Undefined for a line without a quote: it stays as it is. */
  readonly quoteOf: (line: ProductLine) => CartQuote | undefined
  /** The quotes of the products that are about to be added, in their order. */
  readonly requested: readonly CartQuote[]
  /** The same shop with other products that are about to be added. */
  readonly withProducts: (requests: readonly ProductRequest[]) => Promise<CartShop>
  /** All promotions of the store. */
  readonly promotions: readonly StoredPromotion[]
  /** The codes in the cart, and those that are about to be entered: the state is about them. */
  readonly entered: readonly string[]
  /** What these are codes for. */
  readonly codes: readonly EnteredCode[]
  /** Who uses the codes. */
  readonly shopper: DiscountShopper
}

/** What a request asks of the shop. */
export interface ShopRequest {
  /** The products that are about to be added. */
  readonly products?: readonly ProductRequest[] | undefined
  /** The codes that are about to be entered. */
  readonly codes?: readonly string[] | undefined
  /** Of a cart without lines: the first line fixes the currency. */
  readonly currency?: string | undefined
  /** Who uses the codes, if that is not the shopper of the cart. */
  readonly buyer?: DiscountShopper | undefined
  /** What the lines of the cart cost this shopper at the last change. While that holds, they need no quotes. */
  readonly before?: PricedCart | undefined
}

/** Finds out what products of a cart cost its shopper, and products that are about to be added. */
export async function openShop(
  work: Work,
  cart: CartValues,
  { products: requests = [], codes: newCodes = [], currency, buyer, before }: ShopRequest = {},
): Promise<CartShop> {
  const { lines, codes } = cart.contents
  // Read first: if something changes meanwhile, the state is older than the prices, and the next read prices anew.
  const entered = [...codes.map(({ code }) => code), ...newCodes]
  const { state, shopState, accountTags, method, ...kinds } = await readState(work, cart, entered)
  const now = work.clock.now()
  const at = cart.snapshot_date === undefined ? now : new Date(cart.snapshot_date)
  const held = before && stillHolds(before, state, now) ? before : undefined
  const heldLines = new Map(held && lines.map(({ id, quantity }) => [id, quantity]))
  const { currencies, ...current } = await shopOf(work, shopperOf(cart, at), {
    state: { state: shopState, accountTags },
  })
  const paid = currencyOf(cart, currency, currencies)
  const shop = { ...current, currency: paid.code }
  const used = await findCodes(work, cart, entered, buyer)
  const known = new Map<string, CartQuote>()
  const quoteAll = async (some: readonly ProductRequest[]): Promise<readonly CartQuote[]> => {
    const quotes = await withImages(work, lines, await quoteForSale(shop, some))
    for (const [i, request] of some.entries()) {
      const one = quotes[i]
      const id = 'id' in request ? request.id : one?.item?.id
      if (one && id !== undefined) known.set(keyOf(id, request.selection), one)
    }
    return quotes
  }
  // The price of a unit may depend on the quantity.
  const withoutQuote = (some: readonly CartLine[]) =>
    some.filter(
      (line) => isProduct(line) && heldLines.get(line.id) !== line.quantity && !quoteOf(line),
    ) as readonly ProductLine[]
  const quoteOf = ({ productId, selection }: ProductLine) => known.get(keyOf(productId, selection))
  const products = withoutQuote(lines).map(requestOf)
  const quotes = await quoteAll([...products, ...requests])
  const opened: CartShop = {
    state,
    at,
    now: now.toISOString(),
    currency: paid,
    method,
    accountTags,
    holdsUntil: earliest(shop.holdsUntil, held?.until),
    quoteLines: async (some) => {
      const missing = withoutQuote(some)
      if (missing.length) await quoteAll(missing.map(requestOf))
    },
    quoteOf,
    requested: quotes.slice(products.length),
    withProducts: async (some) => ({ ...opened, requested: await quoteAll(some) }),
    promotions: [
      ...(await loadPromotions(work, kinds.promotions)),
      ...(await loadRulePromotions(work, kinds.rulePromotions)),
    ],
    entered,
    ...used,
  }
  return opened
}

/** What holds until an instant and until another. */
const earliest = (one: Date | undefined, other: string | undefined): Date | undefined => {
  if (other === undefined || (one && one.getTime() <= Date.parse(other))) return one
  return new Date(other)
}

async function withImages(
  work: Work,
  lines: readonly CartLine[],
  quotes: readonly SaleQuote[],
): Promise<readonly CartQuote[]> {
  const idOf = ({ item }: SaleQuote) => item?.row.doc.relationships.main_image?.data.id
  const images = await imagesOf(
    work,
    lines,
    quotes.flatMap((one) => idOf(one) ?? []),
  )
  return quotes.map((one): CartQuote => {
    const image = images.get(idOf(one) ?? '')
    if (one.isPriced) return { ...one, item: { ...one.item, image } }
    const { item, ...others } = one
    return item ? { ...others, item: { ...item, image } } : others
  })
}

export const isProduct = (line: CartLine): line is ProductLine => line.kind === 'cart_item'

const keyOf = (id: string, selection: QuoteRequest['selection']) => `${id} ${JSON.stringify(selection)}`

export const requestOf = ({ productId, quantity, selection }: ProductLine): ProductRequest => ({
  id: productId,
  quantity,
  ...(selection && { selection }),
})

/** The shopper for whom the cart is priced, whoever reads it. */
export const shopperOf = (
  { customers = [], accounts = [], shopper = {} }: CartValues,
  at: Date,
): CatalogShopper => ({
  accountId: accounts[0],
  customerId: customers[0],
  channel: shopper.channel,
  tags: shopper.tags ?? [],
  at,
})

/** A cart keeps its currency, also if the store disables or deletes it: its amounts are of no other. */
function currencyOf(
  { contents, priced }: CartValues,
  requested: string | undefined,
  currencies: readonly DisplayCurrency[],
): Notation {
  const own = contents.currency
  const currency =
    own === undefined
      ? (displayCurrency(requested, currencies) ?? currencies[0])
      : (currencies.find(({ code }) => code === own) ?? priced?.currency)
  if (!currency) throw new Problem('unprocessable', 'The store has no currency. Create one first.')
  return currency
}
