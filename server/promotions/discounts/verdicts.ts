/** What became of a promotion, with the values that decided it. */

/** A condition that a cart does not meet. */
export interface UnmetNode {
  /** Where it is: `rules.children.0`. */
  readonly node: string
  readonly strategy: string
  readonly operator?: string | undefined
  readonly needs: unknown
  readonly has: unknown
}

/** Why a promotion takes nothing. */
export type PromotionRefusal =
  /** The cart has custom discounts in place of promotions. */
  | { readonly verdict: 'custom_discounts_used' }
  | { readonly verdict: 'rule_promotions_not_used' }
  /** Needs the line method. */
  | { readonly verdict: 'simple_calculation' }
  | { readonly verdict: 'disabled' }
  | { readonly verdict: 'not_started'; readonly needs: string; readonly has: string }
  | { readonly verdict: 'ended'; readonly needs: string; readonly has: string }
  | { readonly verdict: 'no_code_entered' }
  | { readonly verdict: 'code_of_another_shopper'; readonly code: string }
  | { readonly verdict: 'needs_new_shopper'; readonly code: string }
  | { readonly verdict: 'needs_contact_email'; readonly code: string }
  | { readonly verdict: 'guests_excluded'; readonly code: string }
  | {
      readonly verdict: 'limit_per_shopper'
      readonly code: string
      readonly needs: number
      readonly has: number
    }
  | { readonly verdict: 'code_spent'; readonly code: string; readonly needs: number; readonly has: number }
  | { readonly verdict: 'currency'; readonly needs: readonly string[]; readonly has: string }
  | { readonly verdict: 'below_minimum'; readonly needs: number; readonly has: number }
  | { readonly verdict: 'no_line_matches' }
  | ({ readonly verdict: 'condition_unmet' } & UnmetNode)
  /** Too few units for one set or bundle. `group` is the place of the requirement, from 1. */
  | {
      readonly verdict: 'incomplete'
      readonly needs: number
      readonly has: number
      readonly group?: number | undefined
    }
  | { readonly verdict: 'not_stackable'; readonly behind: readonly string[] }
  /** Earlier promotions took all units. */
  | { readonly verdict: 'outdone'; readonly by: readonly string[] }
  | { readonly verdict: 'gift_missing'; readonly gifts: readonly MissingGift[] }
  /** The gifts are there, and free once the code is entered again. */
  | { readonly verdict: 'enter_code_again'; readonly code: string }
  | { readonly verdict: 'nothing_left' }
  /** The discount is 0, or the set costs as much as its units, or more. */
  | { readonly verdict: 'no_saving' }

export interface MissingGift {
  /** The SKU or id of the product. */
  readonly product: string
  readonly quantity: number
}

/** What a promotion that applies takes off the cart. */
interface Saving {
  readonly verdict: 'applied'
  /** What it takes off lines. At most 0. */
  readonly amount: number
  /** What it takes off shipping. At most 0. */
  readonly shipping: number
  /** How many uses a checkout takes from the code. */
  readonly uses: number
}

/** The promotion that a verdict is about. */
interface PromotionRef {
  readonly source: 'standard' | 'rule'
  readonly id: string
  readonly name: string
  /** The code that was entered, or `auto_<id>` of an automatic promotion. */
  readonly code?: string | undefined
}

export type PromotionVerdict = PromotionRef & (Saving | PromotionRefusal)
