import { newId } from '../../kernel/ids.ts'
import { priceForQuantity, type Selection } from '../../prices/index.ts'
import type { LineComponent, ProductFacts, ProductLine, UnitPrice } from '../contents/contents.ts'
import type { CartProduct, CartQuote, ProductRequest } from './cart-shop.ts'

/** The line with the current name, price and facts of its product; with the last ones if it is not for sale. */
export function currentLine(line: ProductLine, quote: CartQuote | undefined, currency: string): ProductLine {
  if (!quote) return line
  const unit = unitPriceOf(quote, line.quantity, currency)
  if (!quote.item || !unit) return { ...line, isForSale: false }
  return {
    ...line,
    ...productOf(quote.item),
    unit,
    ...componentsOf(line, quote, currency),
    isForSale: true,
  }
}

interface NewProductLine {
  readonly item: CartProduct
  readonly unit: UnitPrice
  readonly quantity: number
  /** The time of the request. */
  readonly now: string
  readonly isTracked: boolean
}

/** A new line for a product that is for sale, without the components of a bundle. */
export const newProductLine = ({ item, unit, quantity, now, isTracked }: NewProductLine): ProductLine => ({
  kind: 'cart_item',
  id: newId(),
  addedAt: now,
  updatedAt: now,
  quantity,
  ...productOf(item),
  unit,
  isTracked,
  isForSale: true,
  taxes: [],
  customDiscounts: [],
})

/** The unit price of a quantity; undefined where the product has none in the currency. */
export function unitPriceOf(
  { isPriced, price }: CartQuote,
  quantity: number,
  currency: string,
): UnitPrice | undefined {
  const amounts = price?.own ?? price?.amounts
  if (!isPriced || !amounts) return undefined
  const unit = priceForQuantity(amounts, quantity, currency)
  if (!unit) return undefined
  return {
    amount: unit.amount,
    includesTax: unit.includes_tax,
    ...(unit.original && { original: unit.original.amount }),
  }
}

type LineProduct = ReturnType<typeof lineProductOf>

/** Each line asks for its product when it is added, and when the cart is priced. */
const lineProducts = new WeakMap<CartProduct, LineProduct>()

function productOf(item: CartProduct): LineProduct {
  const known = lineProducts.get(item)
  if (known) return known
  const product = lineProductOf(item)
  lineProducts.set(item, product)
  return product
}

/** What a line takes from the published product. */
function lineProductOf({ row: { id, doc }, image }: CartProduct) {
  const { attributes, meta } = doc
  return {
    productId: id,
    name: attributes.name ?? '',
    description: attributes.description ?? '',
    sku: attributes.sku ?? '',
    slug: attributes.slug ?? '',
    image,
    facts: {
      catalogId: meta.catalog_id,
      parentProductId: attributes.base_product_id,
      nodeIds: nodesOf(meta.bread_crumbs),
      attributes: (attributes.extensions ?? {}) as ProductFacts['attributes'],
    } satisfies ProductFacts,
  }
}

/** The nodes of a product, and all nodes above these. */
const nodesOf = (crumbs: Readonly<Record<string, readonly string[]>> | undefined): readonly string[] => [
  ...new Set(Object.entries(crumbs ?? {}).flatMap(([id, above]) => [id, ...above])),
]

const unitOf = (amount: { readonly amount: number; readonly includes_tax: boolean } | undefined) =>
  amount && { amount: amount.amount, includesTax: amount.includes_tax }

/** Of a bundle: the options that a shopper selects, or those of its default selection. */
export const selectionOf = (
  { selection }: Pick<ProductRequest, 'selection'>,
  item: CartProduct | undefined,
): Selection | undefined => selection ?? item?.row.doc.meta.bundle_configuration?.selected_options

/** What a line selects of the components of a bundle. */
export function componentsOf(
  line: Pick<ProductLine, 'selection'>,
  { item, price }: CartQuote,
  currency: string,
): { readonly components?: Readonly<Record<string, LineComponent>> } {
  const components = item?.row.doc.attributes.components
  const selected = selectionOf(line, item)
  if (!components || !selected) return {}
  const priceOf = new Map(price?.parts.map((part) => [part.id, part.price?.amounts?.currencies]))
  return {
    components: Object.fromEntries(
      Object.entries(selected).map(([key, options]) => [
        key,
        {
          name: components[key]?.name ?? key,
          options: Object.entries(options).map(([id, quantity]) => ({
            id,
            quantity,
            unit: unitOf(priceOf.get(id)?.[currency]),
          })),
        },
      ]),
    ),
  }
}
