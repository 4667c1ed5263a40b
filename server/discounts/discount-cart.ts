/** A cart as far as discounts depend on it. All amounts are integers in the smallest unit of the cart's currency. */
export interface DiscountCart {
  readonly currency: string
  readonly at: Date
  /** In the order in which they were added. */
  readonly lines: readonly DiscountLine[]
  /** The account's tags. Empty without an account. */
  readonly accountTags: readonly string[]
  readonly customAttributes: Readonly<Record<string, CustomAttribute>>
  /** Only groups that a line is linked to. */
  readonly shippingGroups: readonly ShippingGroup[]
}

/** Where a discount comes from. */
export interface Cause {
  readonly source: 'standard' | 'rule' | 'custom'
  /** The id of the promotion or custom discount. */
  readonly id: string
  readonly name: string
  /** The code that was entered, or `auto_<id>` of an automatic promotion. */
  readonly code: string
}

export interface CustomAttribute {
  readonly type: 'string' | 'integer' | 'boolean' | 'float'
  readonly value: string | number | boolean
}

export interface DiscountLine {
  readonly id: string
  readonly kind: 'cart_item' | 'custom_item' | 'subscription_item'
  readonly productId?: string | undefined
  readonly sku?: string | undefined
  /** As shown: with tax if the price includes it. */
  readonly unitPrice: number
  readonly quantity: number
  readonly catalogId?: string | undefined
  /** The nodes of the product, with all their ancestors. */
  readonly nodeIds: readonly string[]
  /** The values of template fields, by the slug of the template (`products(…)`) and then of the field. */
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly customAttributes: Readonly<Record<string, CustomAttribute>>
}

export interface ShippingGroup {
  readonly id: string
  readonly shippingType: string
  /** The base price, which alone can be discounted. */
  readonly base: number
}
