import { type Quote, type QuoteRequest, quote } from '../../prices/index.ts'
import type { CurrentShop, SelectionRefusal, ShopItem } from '../../shop/index.ts'

/** Why a shopper cannot buy a product that the catalog has, and at which component of a bundle. */
type SaleRefusal = SelectionRefusal

/** A quote for a cart. With a refusal it has no price, whatever the price books say. */
export type SaleQuote<I extends ShopItem = ShopItem> = Quote<I> & {
  readonly refusal?: SaleRefusal | undefined
}

/**
 * Quotes products for a cart, in the order of the requests. Nothing is read of the options of a selection that is not
 * one of the bundle.
 */
export async function quoteForSale(
  shop: Omit<CurrentShop, 'currencies'>,
  requests: readonly QuoteRequest[],
): Promise<readonly SaleQuote[]> {
  const refusals = await shop.refuseSelections(requests)
  const quotes = await quote(
    shop,
    requests.map((request, i) => (refusals[i] ? { ...request, selection: undefined } : request)),
  )
  const options = quotes.flatMap(({ price }) => price?.parts ?? []).map(({ id }) => id)
  const parents = await shop.parentsAmong(options)
  return quotes.map((one, i) => {
    const refusal = refusals[i] ?? refuseParent(one, parents)
    return refusal ? unsold(one, refusal) : one
  })
}

/** Shoppers buy the children of a base product, alone and in a bundle. */
function refuseParent(
  { item, price }: Quote<ShopItem>,
  parents: ReadonlySet<string>,
): SaleRefusal | undefined {
  if (item?.row.doc.attributes.base_product) {
    const detail = `The product ${item.id} is a base product. Choose a variation: send the id or the SKU of one of its child products.`
    return { detail }
  }
  const option = price?.parts.find(({ id }) => parents.has(id))
  if (!option) return undefined
  const detail = `The option ${option.id} of the bundle ${item?.id} is a base product. Choose a variation: select one of its child products in its place.`
  return { detail }
}

const unsold = ({ item, price, holdsUntil }: Quote<ShopItem>, refusal: SaleRefusal): SaleQuote => ({
  isPriced: false,
  reason: { verdict: 'refused', detail: refusal.detail },
  refusal,
  holdsUntil,
  ...(item && { item }),
  ...(price && { price }),
})
