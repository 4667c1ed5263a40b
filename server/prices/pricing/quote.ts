import { runInSteps, type Steps } from '../../kernel/work/in-turns.ts'
import type { ByKey } from '../pricebooks/stored-prices.ts'
import type { Verdict } from './causes.ts'
import { type Item, partsOf, type Selection, withParts } from './item.ts'
import { type PriceFacts, priceFacts, priceVerdict } from './price-causes.ts'
import { pricesForQuantity, type QuantityPrice } from './price-for-quantity.ts'
import { type ItemPrice, type PriceContext, priceChanges, priceItem } from './price-item.ts'
import type { PriceSource } from './price-source.ts'

/**
 * Quotes: what products cost a shopper at an instant, why, and until when. A cart has its own shopper, who need not
 * be the caller.
 */

/** The source of a shopper's products and prices. */
export interface Shop<I extends Item = Item> {
  /** False where nothing is published for the shopper, and so no product has a price. */
  readonly isPublished: boolean
  /** The ids of the price books that apply, strongest first. */
  readonly books: readonly string[]
  /** The code of the currency to pay in. If it is undefined, any currency will do. */
  readonly currency: string | undefined
  readonly at: Date
  /** The next instant at which the shopper may get another catalog or other price books. */
  readonly holdsUntil: Date | undefined
  readonly prices: PriceSource
  readonly findItems: (ids: readonly string[]) => Promise<readonly I[]>
  readonly findItemsBySku: (skus: readonly string[]) => Promise<readonly I[]>
}

/** A product by its id or SKU, and how many of it. */
export type QuoteRequest = ({ readonly id: string } | { readonly sku: string }) & {
  readonly quantity: number
  /** Of a bundle: the options that the shopper selects. Default: the default selection. */
  readonly selection?: Selection | undefined
}

export type Quote<I extends Item = Item> = PricedQuote<I> | UnpricedQuote<I>

/** How long a quote is valid. */
interface QuoteValidity {
  /**
   * The next instant at which a sale or a schedule begins or ends. Until then the quote stays the same, unless the
   * merchant changes something. Undefined where there is none.
   */
  readonly holdsUntil: Date | undefined
}

/** A product that can be bought. */
interface PricedQuote<I extends Item> extends QuoteValidity {
  readonly isPriced: true
  readonly item: I
  /** The unit price for the quantity, by currency. */
  readonly unitPrices: ByKey<QuantityPrice>
  /** The price for any quantity, the prices of the parts, and their traces. */
  readonly price: ItemPrice
  readonly facts: PriceFacts
}

/** A product that cannot be bought, or does not exist. */
interface UnpricedQuote<I extends Item> extends QuoteValidity {
  readonly isPriced: false
  readonly reason: Pick<Verdict, 'verdict' | 'detail'>
  readonly item?: I
  readonly price?: ItemPrice
  readonly facts?: PriceFacts
}

const nothingPublished = {
  verdict: 'nothing_published',
  detail: 'Nothing is published for the shopper.',
}
const notPublished = { verdict: 'not_published', detail: 'The release does not have the product.' }

/** Quotes products independently of each other, in the order of the requests. One statement reads all prices. */
export async function quote<I extends Item>(
  shop: Shop<I>,
  requests: readonly QuoteRequest[],
): Promise<readonly Quote<I>[]> {
  if (!shop.isPublished || !requests.length) {
    return requests.map(() => ({ isPriced: false, reason: nothingPublished, holdsUntil: shop.holdsUntil }))
  }
  const ids = requests.flatMap((request) => ('id' in request ? [request.id] : []))
  const skus = requests.flatMap((request) => ('sku' in request ? [request.sku] : []))
  const published = [...(await shop.findItems(ids)), ...(await shop.findItemsBySku(skus))]
  const byId = new Map(published.map((item) => [item.id, item]))
  const bySku = new Map(
    published.flatMap((item) => (item.sku === undefined ? [] : [[item.sku, item] as const])),
  )
  const items = requests.map((request) => {
    const item = 'id' in request ? byId.get(request.id) : bySku.get(request.sku)
    return item && request.selection ? { ...item, parts: partsOf(request.selection) } : item
  })
  // `published` comes last, because a bundle inside another bundle uses its default selection.
  const all = await withParts([...items.flatMap((item) => item ?? []), ...published], shop.findItems)
  const prices = await shop.prices(shop.books, [...all.values()])
  const context = { items: all, prices, books: shop.books, at: shop.at }
  const priced = await runInSteps(priceEach(new Set(items.flatMap((item) => item ?? [])), context))
  return requests.map(({ quantity }, i): Quote<I> => {
    const item = items[i]
    const found = item && priced.get(item)
    if (!found) return { isPriced: false, reason: notPublished, holdsUntil: shop.holdsUntil }
    const { price, changes } = found
    const facts = priceFacts(item, price, shop)
    const verdict = priceVerdict(facts)
    const change = changes.find((ms) => ms > shop.at.getTime())
    const holdsUntil = earlier(shop.holdsUntil, change === undefined ? undefined : new Date(change))
    const both = { item, price, facts, holdsUntil }
    return price.amounts && verdict.effect === 'passes'
      ? { isPriced: true, unitPrices: pricesForQuantity(price.own ?? price.amounts, quantity), ...both }
      : { isPriced: false, reason: verdict, ...both }
  })
}

interface PricedItem {
  readonly price: ItemPrice
  /** The instants at which the price changes. */
  readonly changes: readonly number[]
}

/** Prices each item once, whatever the quantities are: a bundle may have a thousand parts. */
function* priceEach<I extends Item>(
  items: ReadonlySet<I>,
  context: PriceContext,
): Steps<ReadonlyMap<I, PricedItem>> {
  const priced = new Map<I, PricedItem>()
  for (const item of items) {
    priced.set(item, { price: priceItem(item, context), changes: priceChanges(item, context) })
    yield
  }
  return priced
}

const earlier = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other)
