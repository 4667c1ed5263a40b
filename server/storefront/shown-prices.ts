import {
  type Amounts,
  type DisplayCurrency,
  displayPrice,
  type ShownPrice,
  shownPrice,
} from '../pricebooks/index.ts'
import type { PricedProduct } from './priced-product.ts'

/** What a product shows of its price. Without I/O. */
export interface ShownPrices {
  readonly attributes: { readonly price?: Amounts } & Omit<Partial<ShownPrice['attributes']>, 'price'>
  readonly meta: Readonly<Record<string, unknown>>
  /** Of a bundle: how what is chosen of it was priced. */
  readonly explanation: Readonly<Record<string, unknown>>
}

/** The price of a product, and, of a bundle, of each that is chosen of it. */
export function shownPrices(
  { amounts, own, parts }: PricedProduct,
  currency: DisplayCurrency | undefined,
): ShownPrices {
  const of = own ? shownPrice(own, currency) : sumOf(amounts, currency)
  const known = parts.flatMap(({ id, priced }) => (priced ? [{ id, priced }] : []))
  const units = known.map(({ id, priced }) => [id, unitPrice(priced, currency)] as const)
  const traces = known.map(({ id, priced }) => [id, priced.trace] as const)
  return {
    attributes: of.attributes,
    meta: { ...of.meta, ...(units.length && { component_products: Object.fromEntries(units) }) },
    explanation: traces.length ? { component_products: Object.fromEntries(traces) } : {},
  }
}

/** What the parts cost together has no tiers, and is of no price book or sale. */
function sumOf(amounts: PricedProduct['amounts'], currency: DisplayCurrency | undefined) {
  if (!amounts) return { attributes: {}, meta: {} }
  const { currencies, original } = amounts
  const display_price = displayPrice(currencies, currency)
  const original_display_price = displayPrice(original, currency)
  return {
    attributes: { price: currencies },
    meta: {
      ...(display_price && { display_price }),
      ...(original && { original_price: original }),
      ...(original_display_price && { original_display_price }),
    },
  }
}

/** What one of an option costs. */
function unitPrice(priced: PricedProduct, currency: DisplayCurrency | undefined) {
  const { attributes, meta } = shownPrices({ ...priced, parts: [] }, currency)
  return { ...(attributes.price && { price: attributes.price }), ...meta }
}
