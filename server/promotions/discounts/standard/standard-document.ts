/** A standard promotion as it is stored. */
export type StandardDocument = {
  readonly [Type in StandardType]: StandardBase & {
    readonly promotion_type: Type
    readonly schema: StandardSchemas[Type]
  }
}[StandardType]

export type StandardType = keyof StandardSchemas

interface StandardBase {
  /** Of its first version. */
  readonly id: string
  readonly name: string
  readonly enabled?: boolean | undefined
  readonly automatic?: boolean | undefined
  /** A day, which begins at midnight UTC, or a day and a time. */
  readonly start: string
  readonly end: string
  readonly min_cart_value?: CurrencyAmount | readonly CurrencyAmount[] | null | undefined
  readonly max_discount_value?: CurrencyAmount | readonly CurrencyAmount[] | null | undefined
  /** 0 stands for no limit. */
  readonly max_applications_per_cart?: number | null | undefined
  /** Some clients send it here in place of in `schema`. */
  readonly target_catalogs?: readonly string[] | null | undefined
}

export interface StandardSchemas {
  readonly fixed_discount: Catalogs & Exclude & Amounts
  readonly percent_discount: Catalogs & Exclude & Percentages
  readonly item_fixed_discount: Catalogs & Targets & Exclude & Amounts
  /** `percent` counts for every currency. */
  readonly item_percent_discount: Catalogs &
    Targets &
    Exclude &
    Partial<Percentages> & { readonly percent?: number }
  readonly x_for_y: Catalogs & Targets & Exclude & { readonly x: number; readonly y: number }
  readonly x_for_amount: Catalogs & Targets & Exclude & Amounts & { readonly x: number }
  /** The amounts are the prices of a bundle. */
  readonly bundle_fixed_discount: Catalogs & Amounts & Requirements
  readonly bundle_gift: Catalogs & Requirements & GiftsSchema
}

interface Catalogs {
  readonly target_catalogs?: readonly string[] | null | undefined
}

/** A line matches if any of these does. */
export interface Targets {
  /** SKUs and ids of products, or `all`. */
  readonly targets?: readonly string[] | null | undefined
  readonly target_nodes?: readonly string[] | null | undefined
  readonly target_attributes?: readonly AttributeTarget[] | null | undefined
  readonly target_conditions?: TargetConditions | null | undefined
}

interface Exclude {
  readonly exclude?:
    | {
        readonly targets?: readonly string[] | null | undefined
        readonly nodes?: readonly string[] | null | undefined
        readonly attributes?: readonly AttributeTarget[] | null | undefined
        readonly conditions?: TargetConditions | null | undefined
      }
    | null
    | undefined
}

interface AttributeValue {
  readonly template: string
  readonly field: string
  readonly type: string
  /** Clients send one value or several, under either name. */
  readonly value?: unknown
  readonly values?: unknown
}

export type AttributeTarget = AttributeValue | { readonly attribute: AttributeValue }

export interface TargetConditions {
  readonly or?: readonly { readonly and?: readonly TargetCondition[] }[]
}

export type TargetCondition =
  | { readonly node: { readonly values?: readonly string[] } }
  | { readonly attribute: AttributeValue }

export interface CurrencyAmount {
  readonly currency: string
  readonly amount: number
}

interface Amounts {
  readonly currencies: readonly CurrencyAmount[]
}

interface Percentages {
  readonly currencies: readonly { readonly currency: string; readonly percentage: number }[]
}

interface Requirements {
  /** Some units of any of the products of each entry. */
  readonly requirements: readonly { readonly targets: readonly string[]; readonly quantity: number }[]
}

interface GiftsSchema {
  /** SKUs and ids of products. */
  readonly gifts: readonly string[]
  readonly auto_add_free_gift?: boolean
}
