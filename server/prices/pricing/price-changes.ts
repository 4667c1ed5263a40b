import type { PriceQuery } from './resolve-price.ts'
import { saleInForce, saleSpanOf } from './sale-in-force.ts'

/** The instants at which the result of `resolvePrice` changes because a sale begins or ends, in order. */
export function priceChangesAt({ books, bundleIds = [] }: Omit<PriceQuery, 'at'>): readonly Date[] {
  const chosen = books.find(({ price, parentPrice }) => price ?? parentPrice)
  const sales = (chosen?.price ?? chosen?.parentPrice)?.sales
  const inForce = (at: number) => saleInForce(sales, at, bundleIds).chosen?.name
  const bounds = Object.entries(sales ?? {}).flatMap((sale) => {
    const { from, to } = saleSpanOf(sale)
    return [from, to].filter(Number.isFinite)
  })
  let before = inForce(Number.NEGATIVE_INFINITY)
  return [...new Set(bounds)]
    .sort((one, other) => one - other)
    .filter((at) => {
      const after = inForce(at)
      const changes = after !== before
      before = after
      return changes
    })
    .map((at) => new Date(at))
}
