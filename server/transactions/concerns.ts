/** Why a merchant has to look at a payment whose money has moved. */
export const concerns = ['order_cancelled', 'no_stock', 'ended'] as const
export type Concern = (typeof concerns)[number]

interface Facts {
  /** Whether the merchant has the money, or holds it, and has not returned all of it. */
  readonly hasMoney: boolean
  /** Whether it has just come. */
  readonly isNew: boolean
  readonly isCancelled: boolean
  /** Whether the stock of the order is sold out. */
  readonly isShort: boolean
}

/** The concern about a transaction that has changed, given the one before. It ends when the money is returned. */
export function concernAfter(
  before: Concern | undefined,
  { hasMoney, isNew, isCancelled, isShort }: Facts,
): Concern | undefined {
  if (!hasMoney) return undefined
  if (isShort) return 'no_stock'
  if (isNew && isCancelled) return 'order_cancelled'
  return before === 'no_stock' ? undefined : before
}
