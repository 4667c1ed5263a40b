import type { Share, ShippingShare } from '../../promotions/index.ts'

/** How a store adds up: see docs/money.md. */
export type CalculationMethod = 'line' | 'simple'

/** A cart as far as its totals depend on it. All amounts are integers in the smallest unit of the cart's currency. */
export interface TotalsCart {
  readonly method: CalculationMethod
  /** In the order in which they were added. */
  readonly lines: readonly TotalsLine[]
  readonly discounts: PromotionDiscounts | CustomDiscounts
  readonly shippingGroups: readonly ShippingPrice[]
}

export interface TotalsLine {
  readonly id: string
  /** As shown: with tax if the price includes it. */
  readonly unitPrice: number
  /** At least 1. */
  readonly quantity: number
  readonly includesTax: boolean
  readonly taxes: readonly TotalsTax[]
  /** The components of a bundle that have tax items of their own. */
  readonly components?: readonly TotalsComponent[] | undefined
  readonly shippingGroupId?: string | undefined
}

/** A tax takes a part of the price (0.2 is 20 %), or an amount of the whole line. */
export type TotalsTax =
  | { readonly id: string; readonly rate: number | string }
  | { readonly id: string; readonly amount: number }

export interface TotalsComponent {
  readonly id: string
  readonly unitPrice: number
  /** In one bundle. */
  readonly quantity: number
  readonly includesTax: boolean
  readonly taxes: readonly TotalsTax[]
}

/** What the evaluator of promotions takes off. */
export interface PromotionDiscounts {
  readonly source: 'promotions'
  readonly shares: readonly Share[]
  readonly shippingShares: readonly ShippingShare[]
}

/** What a system outside takes off in place of promotions. Both lists are in the order of creation. */
export interface CustomDiscounts {
  readonly source: 'custom'
  readonly ofLines: readonly (TotalsDiscount & { readonly lineId: string })[]
  readonly ofCart: readonly TotalsDiscount[]
}

export interface TotalsDiscount {
  readonly id: string
  readonly name: string
  readonly code: string
  /** At most 0. Of a line, it is for all its units together. */
  readonly amount: number
}

export interface ShippingPrice {
  readonly id: string
  readonly base: number
  readonly tax: number
  readonly fees: number
}
