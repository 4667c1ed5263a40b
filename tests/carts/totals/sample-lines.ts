import { totalCart } from '../../../server/carts/totals/total-cart.ts'
import type { PromotionDiscounts, TotalsCart, TotalsLine } from '../../../server/carts/totals/totals-cart.ts'
import type { Share } from '../../../server/promotions/index.ts'

let counter = 0

export const line = (unitPrice: number, quantity: number, more: Partial<TotalsLine> = {}): TotalsLine => ({
  id: `line ${++counter}`,
  unitPrice,
  quantity,
  includesTax: false,
  taxes: [],
  ...more,
})

export const rates = (...all: readonly (number | string)[]) =>
  all.map((rate, i) => ({ id: `tax ${i}`, rate }))

export const cause = (id: string, source: 'standard' | 'rule' = 'standard') => ({
  ...{ source, id, name: id, code: `auto_${id}` },
})

/** What the promotion with this place in the order takes off a line. */
export const share = (
  { id }: TotalsLine,
  amount: number,
  ordinal: number,
  isOfCart = false,
  source: 'standard' | 'rule' = 'standard',
): Share => ({ lineId: id, amount, cause: cause(`promotion ${ordinal}`, source), isOfCart, ordinal })

interface Rest {
  readonly method?: TotalsCart['method']
  readonly shippingGroups?: TotalsCart['shippingGroups']
  readonly shares?: PromotionDiscounts['shares']
  readonly shippingShares?: PromotionDiscounts['shippingShares']
}

export function totalsOf(lines: readonly TotalsLine[], rest: Rest = {}) {
  const { method = 'line', shippingGroups = [], shares = [], shippingShares = [] } = rest
  const discounts = { source: 'promotions', shares, shippingShares } as const
  return totalCart({ method, lines, discounts, shippingGroups })
}

export const pricesOf = (...of: Parameters<typeof totalsOf>) => totalsOf(...of).prices
