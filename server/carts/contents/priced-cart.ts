import type { PriceTrace } from '../../prices/index.ts'
import type {
  ItemSuggestion,
  PromotionReason,
  PromotionVerdict,
  StoredPromotion,
} from '../../promotions/index.ts'
import type { Notation } from '../../store/index.ts'
import type {
  CartPrice,
  CartPromotion,
  LineParts,
  LineTotals,
  ShippingTotals,
} from '../totals/cart-totals.ts'
import type { Contents } from './contents.ts'

/** What a cart costs, as it was worked out last. Amounts are integers in the smallest unit of the currency. */
export interface PricedCart {
  readonly currency: Notation
  /** What the prices depend on: see `cart-state.ts`. If it changes, the cart is priced anew. */
  readonly state: string
  /** The next instant at which a sale, a schedule or a promotion begins or ends. */
  readonly until?: string | undefined
  readonly prices: Readonly<Record<CartPrice, number>>
  /**
   * In the order of the cart's lines. Their prices follow from these, and would be a fifth of a large cart. Only lines
   * whose prices a seller entered have them.
   */
  readonly lines: readonly (LineParts & Partial<Pick<LineTotals, 'prices'>>)[]
  readonly promotionItems: readonly PromotionItem[]
  readonly shippingGroups: readonly ShippingTotals[]
  readonly messages: readonly Message[]
  readonly suggestions: readonly ItemSuggestion[]
  /** Never stored: only where the request asks why. */
  readonly explanation?: CartExplanation | undefined
  /** The promotions that take something off. */
  readonly promotions: readonly StoredPromotion['shown'][]
}

/** The contents of a cart with current prices, and what they cost. */
export interface PricedContents {
  readonly contents: Contents
  readonly priced: PricedCart
}

/** Whether a cart still costs the same. */
export const stillHolds = (
  { state, until }: Pick<PricedCart, 'state' | 'until'>,
  current: string | null,
  now: Date,
): boolean => state === current && (until === undefined || now.getTime() < Date.parse(until))

/** Why a cart costs what it costs. */
export interface CartExplanation {
  /** One for each promotion of the store, with the reason if it takes nothing. */
  readonly verdicts: readonly (PromotionVerdict & { readonly detail?: string | undefined })[]
  /** How the unit price of each line was found. Undefined for custom items, and for products that are not for sale. */
  readonly traces: readonly (PriceTrace | undefined)[]
}

/** What a promotion takes off the whole cart. Clients see it as an item. */
export interface PromotionItem extends CartPromotion {
  readonly id: string
}

/** Why no promotion looks at a code that is in the cart. */
interface UnusedCode {
  readonly verdict: 'unknown_code' | 'code_not_needed'
  readonly detail: string
}

/** What to tell the shopper about a discount. */
export interface Message {
  readonly source: { readonly type: string; readonly id: string; readonly code?: string | undefined }
  readonly title: string
  readonly description: string
  /** Why a promotion takes nothing, or a code. */
  readonly reason?: PromotionReason | UnusedCode | undefined
}
