import type { ByKey } from '../pricebooks/stored-prices.ts'
import type { PriceAmount, ResolvedPrice } from './resolve-price.ts'

/** The unit price for a quantity, in one currency. */
export interface QuantityPrice extends PriceAmount {
  /** The name of the tier for the quantity. */
  readonly tier?: string
  /** The unit price without the sale, for the quantity at which the tier begins. */
  readonly original?: PriceAmount
}

/** The unit prices for a quantity, by currency. The highest tier that the quantity reaches applies to all units. */
export function priceForQuantity(
  { currencies, original, tiers = {} }: Pick<ResolvedPrice, 'currencies' | 'original' | 'tiers'>,
  quantity: number,
): ByKey<QuantityPrice> {
  const prices = Object.entries(currencies).map(([code, amount]) => {
    let [price, reached, tier] = [amount, 0, undefined as string | undefined]
    let before = original?.[code]
    for (const [name, { minimum_quantity, price: at, original: was }] of Object.entries(tiers)) {
      const own = at[code]
      if (!own || minimum_quantity > quantity || minimum_quantity < reached) continue
      ;[price, reached, tier] = [own, minimum_quantity, name]
      before = was?.[code]
    }
    return [code, { ...price, ...(tier !== undefined && { tier }), ...(before && { original: before }) }]
  })
  return Object.fromEntries(prices)
}
