/** What discounts depend on of a cart. All amounts are integers in the smallest unit of the cart's currency. */
export interface DiscountCart {
  readonly currency: string
  readonly at: Date
  /** With the simple method, only standard promotions for whole carts apply. */
  readonly calculationMethod: 'line' | 'simple'
  readonly usesRulePromotions: boolean
  /** Whether merchants discount the cart by hand. No promotion applies to it then. */
  readonly usesCustomDiscounts: boolean
  /** In the order in which they were added. */
  readonly lines: readonly DiscountLine[]
  readonly shopper: DiscountShopper
  /** The account's tags. Empty without an account. */
  readonly accountTags: readonly string[]
  readonly customAttributes: Readonly<Record<string, CustomAttribute>>
  /** Only groups that a line is linked to. */
  readonly shippingGroups: readonly ShippingGroup[]
}

/** The person who uses codes. A guest has neither a customer's nor an account's id. */
export interface DiscountShopper {
  readonly customerId?: string | undefined
  readonly accountId?: string | undefined
  /** The customer's or account member's address, or the contact of a guest's cart. */
  readonly email?: string | undefined
  /** Whether no order of theirs was ever paid or authorized. Undefined where nothing identifies them. */
  readonly isNew?: boolean | undefined
}

/** Where a discount comes from. */
export interface DiscountCause {
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
  /** Of a child product: its parent. */
  readonly parentProductId?: string | undefined
  readonly sku?: string | undefined
  /** As shown: with tax if the price includes it. */
  readonly unitPrice: number
  readonly quantity: number
  /** What all units cost before discounts. With the simple method: without tax, so it need not be a multiple. */
  readonly value: number
  /** How many units of the quantity promotions have added. Conditions look at the other units only. */
  readonly autoAdded?: number | undefined
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
