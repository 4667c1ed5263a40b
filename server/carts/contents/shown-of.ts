import type { Contents } from './contents.ts'
import type { PricedCart, PricedContents } from './priced-cart.ts'

interface HasId {
  readonly id: string
}

/** The ids in a cart, and its codes: each read of a cart needs these in SQL. */
export interface ShownContents {
  readonly lines: readonly Pick<Contents['lines'][number], 'id' | 'kind'>[]
  readonly codes: readonly Pick<Contents['codes'][number], 'code'>[]
  readonly customDiscounts: readonly HasId[]
  readonly shippingGroups: readonly HasId[]
}

export type ShownTotals = Pick<
  PricedCart,
  'currency' | 'prices' | 'promotionItems' | 'suggestions' | 'explanation'
>

const idOf = ({ id }: HasId) => ({ id })

/**
 * What responses about a cart, lists, the change feed and events show of what is in it. They read no more: the contents
 * may be megabytes.
 */
export const shownOf = ({ contents, priced }: PricedContents) => ({
  contents: {
    lines: contents.lines.map(({ id, kind }) => ({ id, kind })),
    codes: contents.codes.map(({ code }) => ({ code })),
    customDiscounts: contents.customDiscounts.map(idOf),
    shippingGroups: contents.shippingGroups.map(idOf),
  } satisfies ShownContents,
  priced: {
    currency: priced.currency,
    prices: priced.prices,
    promotionItems: priced.promotionItems,
    suggestions: priced.suggestions,
  } satisfies ShownTotals,
})
