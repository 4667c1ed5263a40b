import type { Item, PriceAmounts, PriceTable, StoredPrice } from '../../prices/index.ts'

/** The price of a product in each of these price books, for the merchant. It does no I/O. */
export function availablePrices(books: readonly string[], prices: PriceTable, item: Item) {
  const priced = books.flatMap((id) => {
    const { price: own, parentPrice } = prices.bookPrices(id, item)
    const price = own ?? parentPrice
    return price ? [{ id, price }] : []
  })
  return {
    available_prices: priced.map(({ id, price }) => toAvailablePrice(id, price)),
    available_pricebook_ids: priced.map(({ id }) => id),
  }
}

function toAvailablePrice(pricebook_id: string, { currencies, sales, shopper_attributes }: StoredPrice) {
  const price = Object.entries(currencies).map(([code, { amount, includes_tax = false }]) => [
    code,
    { amount, includes_tax },
  ])
  const tiers = tiersOf(currencies)
  return {
    pricebook_id,
    price: Object.fromEntries(price) as PriceAmounts,
    ...(Object.keys(tiers).length && { tiers }),
    ...(sales && { sales }),
    ...(shopper_attributes && { shopper_attributes }),
  }
}

/** The tiers of all currencies by name, as shoppers see them. */
function tiersOf(currencies: StoredPrice['currencies']) {
  // A Map, because a merchant may give a tier a name such as `toString`, which every object has.
  const tiers = new Map<string, { minimum_quantity: number; price: Record<string, PriceAmounts[string]> }>()
  for (const [code, { includes_tax = false, tiers: own = {} }] of Object.entries(currencies)) {
    for (const [name, { minimum_quantity, amount }] of Object.entries(own)) {
      const tier = tiers.get(name) ?? { minimum_quantity, price: {} }
      tier.price[code] = { amount, includes_tax }
      tiers.set(name, tier)
    }
  }
  return Object.fromEntries(tiers)
}
