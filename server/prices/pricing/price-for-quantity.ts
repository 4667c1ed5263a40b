import type { ByKey } from '../pricebooks/stored-prices.ts'
import type { PriceAmount, ResolvedPrice } from './resolve-price.ts'

/** The unit price for a quantity, in one currency. */
export interface QuantityPrice extends PriceAmount {
  /** The name of the tier for the quantity. */
  readonly tier?: string
  /** The unit price without the sale, for the quantity at which the tier begins. */
  readonly original?: PriceAmount
}

type LadderAmounts = Pick<ResolvedPrice, 'currencies' | 'original' | 'tiers'>

/** The unit prices for a quantity, by currency. */
export const pricesForQuantity = (amounts: LadderAmounts, quantity: number): ByKey<QuantityPrice> =>
  Object.fromEntries(
    Object.entries(amounts.currencies).map(([code, amount]) => [
      code,
      reachedPrice(amounts, code, amount, quantity),
    ]),
  )

/** The unit price for a quantity in one currency; undefined if it has none. */
export function priceForQuantity(
  amounts: LadderAmounts,
  quantity: number,
  code: string,
): QuantityPrice | undefined {
  const amount = amounts.currencies[code]
  return amount && reachedPrice(amounts, code, amount, quantity)
}

/** The highest tier that the quantity reaches applies to all units. */
function reachedPrice(
  { original, tiers = {} }: LadderAmounts,
  code: string,
  amount: PriceAmount,
  quantity: number,
): QuantityPrice {
  let [price, reached, tier] = [amount, 0, undefined as string | undefined]
  let before = original?.[code]
  for (const [name, { minimum_quantity, price: at, original: was }] of Object.entries(tiers)) {
    const own = at[code]
    if (!own || minimum_quantity > quantity || minimum_quantity < reached) continue
    ;[price, reached, tier] = [own, minimum_quantity, name]
    before = was?.[code]
  }
  return { ...price, ...(tier !== undefined && { tier }), ...(before && { original: before }) }
}
