import type { Selection } from '../../prices/index.ts'
import type { CustomAttribute } from '../../promotions/index.ts'

/** What is in a cart, as it is stored. Amounts are integers in the smallest unit of the cart's currency. */
export interface Contents {
  /** The code of the currency that the first amount fixed. Undefined while the cart has none. */
  readonly currency?: string | undefined
  /** In the order in which they were added. */
  readonly lines: readonly CartLine[]
  /** The promotion codes that were entered, in order. */
  readonly codes: readonly CartCode[]
  /** In the order in which they were added. */
  readonly customDiscounts: readonly CustomDiscount[]
  readonly shippingGroups: readonly CartShippingGroup[]
}

/** The lines and codes of one cart together. */
export const linesMax = 100

/** The selected options of all bundles of a cart. Each is priced, checked and stored with each change. */
export const optionsMax = 3000

/** The pieces of one line: more would make totals that no client can read exactly. */
export const quantityMax = 1_000_000_000

export const emptyContents: Contents = { lines: [], codes: [], customDiscounts: [], shippingGroups: [] }

/** What is in a cart that nobody has written. */
export const emptyCart = { contents: emptyContents, priced: undefined }

interface CartCode {
  /** As the shopper wrote it. */
  readonly code: string
  readonly enteredAt: string
  /** Whether it was entered again after its promotion had added gifts. */
  readonly isRepeated?: boolean | undefined
}

interface Line {
  readonly id: string
  readonly addedAt: string
  readonly updatedAt: string
  readonly quantity: number
  readonly name: string
  readonly description: string
  readonly sku: string
  readonly slug: string
  readonly image: Image | undefined
  readonly unit: UnitPrice
  readonly customInputs?: Readonly<Record<string, unknown>> | undefined
  readonly customAttributes?: Readonly<Record<string, CustomAttribute>> | undefined
  readonly shippingGroupId?: string | undefined
  readonly taxes: readonly TaxItem[]
  readonly customDiscounts: readonly CustomDiscount[]
}

/** A product of the shopper's catalog. */
export interface ProductLine extends Line {
  readonly kind: 'cart_item'
  readonly productId: string
  readonly location?: string | undefined
  /** Of a bundle: the options that the shopper selected. */
  readonly selection?: Selection | undefined
  /** Of a bundle: its components as the shopper selected them. */
  readonly components?: Readonly<Record<string, LineComponent>> | undefined
  /** Of a bundle: the taxes of its components, by product. */
  readonly componentTaxes?: Readonly<Record<string, readonly TaxItem[]>> | undefined
  readonly facts: ProductFacts
  /** Whether the server counts the stock of the product. */
  readonly isTracked: boolean
  /** The units that a promotion added. */
  readonly autoAdded?: number | undefined
  /** False once the shopper's catalog no longer has a price for it. The line then keeps its last price. */
  readonly isForSale: boolean
}

/** Anything that is not a product, at a price of its own. */
export interface CustomLine extends Line {
  readonly kind: 'custom_item'
}

export type CartLine = ProductLine | CustomLine

export interface UnitPrice {
  readonly amount: number
  readonly includesTax: boolean
  /** Before the sale. */
  readonly original?: number | undefined
}

export interface Image {
  readonly fileId: string
  readonly mime_type: string
  readonly file_name: string
  /** Absolute, or a path on this server. */
  readonly href: string
}

/** What promotions ask about a product. */
export interface ProductFacts {
  readonly catalogId: string | undefined
  /** Of a child product: its parent. */
  readonly parentProductId?: string | undefined
  /** The nodes of the product, with all their ancestors. */
  readonly nodeIds: readonly string[]
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface LineComponent {
  readonly name: string
  readonly options: readonly {
    readonly id: string
    readonly quantity: number
    readonly unit: UnitPrice | undefined
  }[]
}

/** The selected products of a bundle, each once. */
export const componentIdsOf = ({ components = {} }: Pick<ProductLine, 'components'>): readonly string[] => [
  ...new Set(Object.values(components).flatMap(({ options }) => options.map(({ id }) => id))),
]

/** A tax item has a rate or an amount. */
export type TaxItem = TaxLabels & TaxSize

interface TaxLabels {
  readonly id: string
  readonly code?: string | undefined
  readonly name?: string | undefined
  readonly jurisdiction?: string | undefined
}

/** A rate is a fraction, such as 0.085 for 8.5 %. */
type TaxSize =
  | { readonly rate: number; readonly amount?: undefined }
  | { readonly rate?: undefined; readonly amount: number }

export interface CustomDiscount {
  readonly id: string
  readonly externalId?: string | undefined
  readonly engine?: string | undefined
  readonly description?: string | undefined
  readonly code?: string | undefined
  /** Below 0. */
  readonly amount: number
  readonly addedAt: string
}

export interface CartShippingGroup {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly shippingType: string
  readonly trackingReference?: string | undefined
  readonly externalRef?: string | undefined
  readonly address?: Readonly<Record<string, string>> | undefined
  readonly deliveryEstimate?: Readonly<Record<string, unknown>> | undefined
  readonly base: number
  readonly tax: number
  readonly fees: number
}
