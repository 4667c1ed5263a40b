/** Prices as they are stored. All amounts are whole numbers of the currency's smallest unit. */

/** By keys that clients choose. Read them with `own`. */
export type ByKey<T> = Readonly<Record<string, T>>

interface StoredTier {
  readonly minimum_quantity: number
  readonly amount: number
}

export interface StoredAmount {
  readonly amount: number
  readonly includes_tax?: boolean | undefined
  readonly tiers?: ByKey<StoredTier> | undefined
}

/** By the code of the currency. */
export type StoredCurrencies = ByKey<StoredAmount>

/** From `valid_from` on, and before `valid_to`. */
interface SaleSchedule {
  readonly valid_from?: string | null | undefined
  readonly valid_to?: string | null | undefined
  /** Accepted instead of `valid_from`; never stored. */
  readonly valid_form?: string | null | undefined
}

export interface StoredSale {
  /** The sale applies only to the product as an option of these bundles. */
  readonly bundle_ids?: readonly string[] | undefined
  readonly schedule?: SaleSchedule | null | undefined
  readonly currencies?: StoredCurrencies | undefined
}

export interface StoredPrice {
  readonly currencies: StoredCurrencies
  readonly sales?: ByKey<StoredSale> | undefined
  readonly shopper_attributes?: ByKey<string | null> | null | undefined
}

export const modifierTypes = ['price_increment', 'price_decrement', 'price_equals'] as const
export type PriceModifierType = (typeof modifierTypes)[number]

export interface StoredModifier {
  readonly modifier_type: PriceModifierType
  readonly currencies: StoredCurrencies
}

/** The value of an own key: never a member of the prototype. */
export const own = <T>(bag: ByKey<T> | undefined, key: string): T | undefined =>
  bag && Object.hasOwn(bag, key) ? bag[key] : undefined
