import { newId } from '../kernel/ids.ts'
import type { Work } from '../kernel/work/context.ts'
import { totalCart } from '../totals/index.ts'
import { type CartShop, type CartValues, isProduct, openShop } from './cart-shop.ts'
import { type CartLine, type Contents, nothing } from './contents.ts'
import { currentLine } from './current-line.ts'
import type { PricedCart, PromotionItem } from './priced-cart.ts'
import { totalsCartOf } from './totals-cart.ts'

/** The contents of a cart with current prices, and what they cost. */
export interface Priced {
  readonly contents: Contents
  readonly priced: PricedCart
}

/** Prices a cart as it is. */
export const priceCart = async (work: Work, cart: CartValues): Promise<Priced> =>
  priceContents(cart, cart.contents ?? nothing, await openShop(work, cart))

/** Prices new contents of a cart. This is the only code that works out what a cart costs. */
export function priceContents(cart: CartValues, contents: Contents, shop: CartShop): Priced {
  const { code } = shop.currency
  const lines = contents.lines.map(
    (line): CartLine => (isProduct(line) ? currentLine(line, shop.quoteOf(line), code) : line),
  )
  const current = { ...contents, lines, currency: lines.length ? code : undefined }
  const {
    lines: priced,
    cartPromotions,
    prices,
    shippingGroups,
  } = totalCart(totalsCartOf(cart, current, shop.method))
  return {
    contents: current,
    priced: {
      currency: shop.currency,
      state: shop.state,
      until: untilOf(shop, current.lines),
      prices,
      lines: priced.map(({ line: _, ...rest }) => rest),
      promotionItems: itemsOf(cartPromotions, cart.priced?.promotionItems ?? []),
      shippingGroups,
      messages: [],
      suggestions: [],
      promotions: [],
    },
  }
}

/** A promotion keeps the id of its item as long as it applies. */
const itemsOf = (
  promotions: readonly Omit<PromotionItem, 'id'>[],
  before: readonly PromotionItem[],
): readonly PromotionItem[] =>
  promotions.map((one) => ({
    ...one,
    id: before.find(({ cause }) => cause.id === one.cause.id && cause.code === one.cause.code)?.id ?? newId(),
  }))

/** The next instant at which a price may change. */
function untilOf(shop: CartShop, lines: readonly CartLine[]): string | undefined {
  const instants = [
    shop.holdsUntil,
    ...lines.map((line) => (isProduct(line) ? shop.quoteOf(line)?.holdsUntil : undefined)),
  ]
  const next = Math.min(...instants.map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(next) ? new Date(next).toISOString() : undefined
}
