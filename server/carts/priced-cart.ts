import type { Notation } from '../currencies/index.ts'
import type { CartPrice, CartPromotion, LineTotals, ShippingTotals } from '../totals/index.ts'

/** What a cart costs, as it was worked out last. Amounts are integers in the smallest unit of the currency. */
export interface PricedCart {
  readonly currency: Notation
  /** What the prices depend on: see `cart-state.ts`. If it changes, the cart is priced anew. */
  readonly state: string
  /** The next instant at which a sale, a schedule or a promotion begins or ends. */
  readonly until?: string | undefined
  readonly prices: Readonly<Record<CartPrice, number>>
  /** In the order of the cart's lines. */
  readonly lines: readonly Omit<LineTotals, 'line'>[]
  readonly promotionItems: readonly PromotionItem[]
  readonly shippingGroups: readonly ShippingTotals[]
  readonly messages: readonly Message[]
  readonly suggestions: readonly Readonly<Record<string, unknown>>[]
  /** The promotions that take something off. */
  readonly promotions: readonly ShownPromotion[]
}

/** What a promotion takes off the whole cart. Clients see it as an item. */
export interface PromotionItem extends CartPromotion {
  readonly id: string
}

export interface Message {
  readonly source: { readonly type: string; readonly id: string; readonly code?: string | undefined }
  readonly title: string
  readonly description: string
}

/** A promotion as `included` shows it. */
export interface ShownPromotion {
  readonly type: 'promotion'
  readonly id: string
  readonly name: string
  readonly description: string
  readonly automatic: boolean
  readonly promotion_type?: string | undefined
  readonly promotion_source?: 'rule-promotion' | undefined
  readonly start: string
  readonly end: string
}
