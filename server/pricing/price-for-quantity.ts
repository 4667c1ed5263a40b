import type { By } from '../pricebooks/index.ts'
import type { Amount, ResolvedPrice } from './resolve-price.ts'

/** What each of so many units costs in a currency. */
export interface UnitPrice extends Amount {
  /** The name of the tier that the quantity has reached. */
  readonly tier?: string
  /** What the sale is told apart from: what it would be without it, for as many as the tier begins with. */
  readonly original?: Amount
}

/** What each of so many units costs, by currency: the highest tier that the quantity has reached is for all of them. */
export function priceForQuantity(
  { currencies, original, tiers = {} }: Pick<ResolvedPrice, 'currencies' | 'original' | 'tiers'>,
  quantity: number,
): By<UnitPrice> {
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
