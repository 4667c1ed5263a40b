import type { By } from '../pricebooks/index.ts'
import type { Verdict } from './causes.ts'
import { type Item, partsOf, type Selection, withParts } from './item.ts'
import { type PriceFacts, priceFacts, priceVerdict } from './price-causes.ts'
import { priceForQuantity, type UnitPrice } from './price-for-quantity.ts'
import { type ItemPrice, priceChanges, priceItem } from './price-item.ts'
import type { PriceSource } from './price-source.ts'

/** What products cost one shopper at one instant, why, and until when: for carts, whoever reads them. */

/** Where a shopper's products and prices come from. */
export interface Shop<I extends Item = Item> {
  /** False where nothing is published for the shopper: there are no items. */
  readonly isPublished: boolean
  /** The ids of the price books that count, the strongest first. */
  readonly books: readonly string[]
  /** The code of the currency to pay in. Undefined: any will do. */
  readonly currency: string | undefined
  readonly at: Date
  /** The next instant at which the shopper may get another catalog or other price books. */
  readonly holdsUntil: Date | undefined
  readonly prices: PriceSource
  readonly findItems: (ids: readonly string[]) => Promise<readonly I[]>
  readonly findItemsBySku: (skus: readonly string[]) => Promise<readonly I[]>
}

/** A product, by its id or by its SKU. */
export type QuoteRequest = ({ readonly id: string } | { readonly sku: string }) & {
  readonly quantity: number
  /** Of a bundle: what the shopper selects. Left out for what is selected by default. */
  readonly selection?: Selection | undefined
}

export type Quote<I extends Item = Item> = PricedQuote<I> | UnpricedQuote<I>

interface Quoted {
  /**
   * Up to this instant the quote stays the same, unless the merchant changes something: a sale or a schedule begins or
   * ends there. Undefined where nothing does.
   */
  readonly holdsUntil: Date | undefined
}

/** A product that can be bought. */
interface PricedQuote<I extends Item> extends Quoted {
  readonly isPriced: true
  readonly item: I
  /** What each of so many costs, by currency. */
  readonly unitPrices: By<UnitPrice>
  /** The price for any quantity, the prices of the parts, and the trace of both. */
  readonly price: ItemPrice
  readonly facts: PriceFacts
}

/** A product that cannot be bought, or that is not there. */
interface UnpricedQuote<I extends Item> extends Quoted {
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

/** Quotes products, each for itself, in the order of the requests. All prices are read by one statement. */
export async function quote<I extends Item>(
  shop: Shop<I>,
  requests: readonly QuoteRequest[],
): Promise<readonly Quote<I>[]> {
  if (!shop.isPublished || !requests.length) {
    return requests.map(() => ({ isPriced: false, reason: nothingPublished, holdsUntil: shop.holdsUntil }))
  }
  const ids = requests.flatMap((request) => ('id' in request ? [request.id] : []))
  const skus = requests.flatMap((request) => ('sku' in request ? [request.sku] : []))
  const found = [...(await shop.findItems(ids)), ...(await shop.findItemsBySku(skus))]
  const byId = new Map(found.map((item) => [item.id, item]))
  const bySku = new Map(found.flatMap((item) => (item.sku === undefined ? [] : [[item.sku, item] as const])))
  const items = requests.map((request) => {
    const item = 'id' in request ? byId.get(request.id) : bySku.get(request.sku)
    return item && request.selection ? { ...item, parts: partsOf(request.selection) } : item
  })
  // Those that were found come last: a bundle in another bundle has the options that are selected by default.
  const all = await withParts([...items.flatMap((item) => item ?? []), ...found], shop.findItems)
  const prices = await shop.prices(shop.books, [...all.values()])
  const context = { items: all, prices, books: shop.books, at: shop.at }
  return requests.map(({ quantity }, i): Quote<I> => {
    const item = items[i]
    if (!item) return { isPriced: false, reason: notPublished, holdsUntil: shop.holdsUntil }
    const price = priceItem(item, context)
    const facts = priceFacts(item, price, shop)
    const verdict = priceVerdict(facts)
    const change = priceChanges(item, context).find((ms) => ms > shop.at.getTime())
    const holdsUntil = earlier(shop.holdsUntil, change === undefined ? undefined : new Date(change))
    const both = { item, price, facts, holdsUntil }
    return price.amounts && verdict.effect === 'passes'
      ? { isPriced: true, unitPrices: priceForQuantity(price.own ?? price.amounts, quantity), ...both }
      : { isPriced: false, reason: verdict, ...both }
  })
}

const earlier = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? (one < other ? one : other) : (one ?? other)
