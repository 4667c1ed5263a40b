import type { StoredPrice } from '../pricebooks/index.ts'
import type { Amounts, Item, PriceTable } from '../pricing/index.ts'

/** What each of these price books says of a product, whichever of them counts: for the merchant. Without I/O. */
export function availablePrices(books: readonly string[], prices: PriceTable, item: Item) {
  const found = books.flatMap((id) => {
    const { price: own, parentPrice } = prices.bookPrices(id, item)
    const price = own ?? parentPrice
    return price ? [{ id, price }] : []
  })
  return {
    available_prices: found.map(({ id, price }) => toldOf(id, price)),
    available_pricebook_ids: found.map(({ id }) => id),
  }
}

function toldOf(pricebook_id: string, { currencies, sales, shopper_attributes }: StoredPrice) {
  const price = Object.entries(currencies).map(([code, { amount, includes_tax = false }]) => [
    code,
    { amount, includes_tax },
  ])
  const tiers = tiersOf(currencies)
  return {
    pricebook_id,
    price: Object.fromEntries(price) as Amounts,
    ...(Object.keys(tiers).length && { tiers }),
    ...(sales && { sales }),
    ...(shopper_attributes && { shopper_attributes }),
  }
}

/** The tiers of all currencies by their names, as shoppers see them. */
function tiersOf(currencies: StoredPrice['currencies']) {
  // A map: merchants may call a tier as what every object has.
  const tiers = new Map<string, { minimum_quantity: number; price: Record<string, Amounts[string]> }>()
  for (const [code, { includes_tax = false, tiers: own = {} }] of Object.entries(currencies)) {
    for (const [name, { minimum_quantity, amount }] of Object.entries(own)) {
      const known = tiers.get(name) ?? { minimum_quantity, price: {} }
      known.price[code] = { amount, includes_tax }
      tiers.set(name, known)
    }
  }
  return Object.fromEntries(tiers)
}
