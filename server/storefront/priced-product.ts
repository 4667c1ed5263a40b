import { type Amounts, bundlePrice, type PriceTrace, type ResolvedPrice } from '../pricebooks/index.ts'
import type { Prices } from './prices-of.ts'
import type { PublishedRow, Selection } from './published-row.ts'

/** What a product costs as it is chosen. */
export interface PricedProduct {
  /** Undefined where it has no price: it cannot be bought. */
  readonly amounts: { readonly currencies: Amounts; readonly original?: Amounts } | undefined
  /** Where the price is its own, and not that of its parts together. */
  readonly own: ResolvedPrice | undefined
  /** Of a bundle: what is chosen of it, each once. */
  readonly parts: readonly PricedPart[]
  readonly trace: PriceTrace
}

interface PricedPart {
  readonly id: string
  readonly quantity: number
  /** Undefined where it is not published. */
  readonly priced: PricedProduct | undefined
}

/** What is there to price from: the published products, by their ids, and their prices. */
export interface Shelf {
  readonly products: ReadonlyMap<string, PublishedRow>
  readonly prices: Prices
}

/** A bundle may be an option of another one, and no further. */
export const depthMax = 2

/**
 * What a product costs: what price books say of it, else, of a bundle, what its chosen options cost together. A bundle
 * of which a component cannot be filled has no price. Without I/O.
 */
export function pricedProduct(
  shelf: Shelf,
  product: PublishedRow,
  selection: Selection | undefined = defaultSelection(product),
  inBundle?: string,
  depth = 0,
): PricedProduct {
  const { price, trace } = shelf.prices.of(product, inBundle === undefined ? [] : [inBundle])
  const { unfilled } = product.facts
  const own = unfilled ? undefined : price
  const parts = chosenOptions(selection).map(({ id, quantity }): PricedPart => {
    const part = depth < depthMax ? shelf.products.get(id) : undefined
    const priced = part && pricedProduct(shelf, part, undefined, product.id, depth + 1)
    return { id, quantity, priced }
  })
  const amounts = unfilled
    ? undefined
    : (own ?? bundlePrice(parts.map(({ quantity, priced }) => ({ quantity, price: priced?.amounts }))))
  return { amounts, own, parts, trace }
}

export const defaultSelection = ({ doc }: PublishedRow): Selection | undefined =>
  doc.meta.bundle_configuration?.selected_options

/** What is chosen, each product once: it may be an option of several components. */
export function chosenOptions(
  selection: Selection | undefined,
): readonly { readonly id: string; readonly quantity: number }[] {
  const chosen = new Map<string, number>()
  for (const options of Object.values(selection ?? {})) {
    for (const [id, quantity] of Object.entries(options)) chosen.set(id, (chosen.get(id) ?? 0) + quantity)
  }
  return [...chosen].map(([id, quantity]) => ({ id, quantity }))
}
