import { bundlePrice } from './bundle-price.ts'
import { depthMax, type Item, type ItemPart } from './item.ts'
import type { PriceTable } from './price-source.ts'
import { type PriceAmounts, type ResolvedPrice, resolvePrice } from './resolve-price.ts'
import { priceChangesAt } from './sale-in-force.ts'
import type { PriceTrace } from './shown-fields.ts'

/** What an item costs: the one evaluator, for shops, publishing and quotes. It does no I/O. */

/** The data that items are priced from. */
export interface PriceContext {
  /** Bundles find their parts here. */
  readonly items: ReadonlyMap<string, Item>
  readonly prices: PriceTable
  /** The ids of the price books that apply, strongest first. */
  readonly books: readonly string[]
  readonly at: Date
}

export interface ItemPrice {
  /** Undefined where the item has no price: it cannot be bought. */
  readonly amounts: { readonly currencies: PriceAmounts; readonly original?: PriceAmounts } | undefined
  /** The price in a price book. Undefined where the amounts are the sum of the parts. */
  readonly own: ResolvedPrice | undefined
  /** Of a bundle: the selected options, each product once. */
  readonly parts: readonly PartPrice[]
  readonly trace: PriceTrace
}

interface PartPrice extends ItemPart {
  /** Undefined where the part is not among the items. */
  readonly price: ItemPrice | undefined
}

/**
 * Prices an item by its price books, or a bundle without a price of its own by the sum of its parts. A bundle with a
 * component that cannot be filled has no price. `bundleId` is the bundle that the item is a part of.
 */
export function priceItem(item: Item, context: PriceContext, bundleId?: string, depth = 0): ItemPrice {
  const { price, trace } = resolvePrice({ ...questionOf(item, context, bundleId), at: context.at })
  const own = item.unfilled ? undefined : price
  const parts = (item.parts ?? []).map(({ id, quantity }): PartPrice => {
    const part = partOf(id, context, depth)
    return { id, quantity, price: part && priceItem(part, context, item.id, depth + 1) }
  })
  const amounts = item.unfilled
    ? undefined
    : (own ?? bundlePrice(parts.map(({ quantity, price }) => ({ quantity, price: price?.amounts }))))
  return { amounts, own, parts, trace }
}

const questionOf = (
  item: Item,
  { books, prices }: Omit<PriceContext, 'at'>,
  bundleId: string | undefined,
) => ({
  books: books.map((book) => prices.bookPrices(book, item)),
  modifierNames: item.modifierNames,
  bundleIds: bundleId === undefined ? [] : [bundleId],
})

const partOf = (id: string, { items }: Pick<PriceContext, 'items'>, depth: number): Item | undefined =>
  depth < depthMax ? items.get(id) : undefined

/** Whether one of the price books has a price for the item itself. */
export const hasOwnPrice = (item: Item, { books, prices }: Omit<PriceContext, 'at'>): boolean =>
  books.some((book) => {
    const { price, parentPrice } = prices.bookPrices(book, item)
    return (price ?? parentPrice) !== undefined
  })

/**
 * The instants at which a sale begins or ends that may change the price of an item, in milliseconds, in order.
 * Between two of them the price stays the same.
 */
export function priceChanges(item: Item, context: Omit<PriceContext, 'at'>): readonly number[] {
  return [...new Set(changesOf(item, context, undefined, 0))].sort((one, other) => one - other)
}

function changesOf(
  item: Item,
  context: Omit<PriceContext, 'at'>,
  bundleId: string | undefined,
  depth: number,
): readonly number[] {
  if (item.unfilled) return []
  if (hasOwnPrice(item, context)) {
    return priceChangesAt(questionOf(item, context, bundleId)).map((at) => at.getTime())
  }
  return (item.parts ?? []).flatMap(({ id }) => {
    const part = partOf(id, context, depth)
    return part ? changesOf(part, context, item.id, depth + 1) : []
  })
}
