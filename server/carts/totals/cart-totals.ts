import type { DiscountCause, Share } from '../../promotions/index.ts'
import type { ShippingPrice, TotalsLine } from './totals-cart.ts'

export interface CartTotals {
  readonly lines: readonly LineTotals[]
  /** What each promotion takes off the cart as a whole, in the order of application. */
  readonly cartPromotions: readonly CartPromotion[]
  readonly shippingGroups: readonly ShippingTotals[]
  readonly prices: Readonly<Record<CartPrice, number>>
}

/** The totals of a cart, by the names that answers have for them. */
export type CartPrice = LinePrice | 'shipping' | 'shipping_discount'

/** The totals of a line. */
export type LinePrice = 'with_tax' | 'without_tax' | 'tax' | 'discount' | 'without_discount'

/** What the prices of a line follow from. */
export interface LineParts {
  /** The price of all units before discounts. */
  readonly value: number
  /** What each cause takes off, in the order of application. */
  readonly discounts: readonly Share[]
  /** What each tax item adds, or is contained in the price. */
  readonly taxes: readonly LineTax[]
}

export interface LineTotals extends LineParts {
  readonly line: TotalsLine
  readonly prices: Readonly<Record<LinePrice, UnitAndValue>>
}

export interface LineTax {
  /** The id of the tax item. */
  readonly id: string
  readonly componentId?: string
  /** What a rate is taken of. Taxes with an amount have none. */
  readonly base?: number
  readonly amount: number
}

export interface UnitAndValue {
  /** The value divided by the quantity, and rounded: only for display. */
  readonly unit: number
  readonly value: number
}

export interface CartPromotion {
  readonly cause: DiscountCause
  /** Less than 0. */
  readonly amount: number
}

export interface ShippingTotals extends ShippingPrice {
  /** The base price, the tax and the fees, before the discount. */
  readonly total: number
  /** At most 0. */
  readonly discount: number
  /** Whether a line is linked to the group. Other groups count for nothing. */
  readonly isLinked: boolean
}
