import type { DiscountCause } from './discount-cart.ts'

/** What one cause takes off one line. */
export interface Share {
  readonly lineId: string
  /** At most 0. */
  readonly amount: number
  readonly cause: DiscountCause
  /** Whether it is the line's part of a discount of the whole cart. */
  readonly isOfCart: boolean
  /** The place of the cause in the order of application, from 1. */
  readonly ordinal: number
}

/** What one cause takes off the base price of a shipping group. */
export interface ShippingShare {
  readonly groupId: string
  /** At most 0. */
  readonly amount: number
  readonly cause: DiscountCause
}
