import type { Contents } from './contents.ts'
import type { PricedCart } from './priced-cart.ts'

/**
 * What responses about a cart show of its hidden values, but for its owners. The change feed stores it, and no more:
 * the contents may be megabytes. See migration 0136.
 */
export interface CartSummary {
  readonly expiry_days: number | undefined
  /** The codes that were entered: each read of a cart needs them in SQL, where it takes long to parse the contents. */
  readonly codes: readonly string[]
  readonly priced: Pick<PricedCart, 'currency' | 'prices' | 'promotionItems' | 'suggestions'> | undefined
  readonly contents: {
    readonly lines: readonly Pick<Contents['lines'][number], 'id' | 'kind'>[]
    readonly customDiscounts: readonly { readonly id: string }[]
    readonly shippingGroups: readonly { readonly id: string }[]
  }
}

interface CartParts {
  readonly expiry_days: number | undefined
  readonly priced: PricedCart | undefined
  readonly contents: Contents | undefined
}

const idOf = ({ id }: { readonly id: string }) => ({ id })

export const summaryOf = ({ expiry_days, priced, contents }: CartParts): CartSummary => ({
  expiry_days,
  codes: contents?.codes.map(({ code }) => code) ?? [],
  priced: priced && {
    currency: priced.currency,
    prices: priced.prices,
    promotionItems: priced.promotionItems,
    suggestions: priced.suggestions,
  },
  contents: {
    lines: contents?.lines.map(({ id, kind }) => ({ id, kind })) ?? [],
    customDiscounts: contents?.customDiscounts.map(idOf) ?? [],
    shippingGroups: contents?.shippingGroups.map(idOf) ?? [],
  },
})
