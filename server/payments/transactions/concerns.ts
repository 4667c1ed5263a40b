/** Why a merchant has to look at a payment whose money has moved. */
export const concerns = ['order_cancelled', 'no_stock', 'ended', 'overpaid', 'refund_failed'] as const
type Concern = (typeof concerns)[number]

interface Facts {
  /** Whether the merchant has the money, or holds it, and has not returned all of it. */
  readonly hasMoney: boolean
  /** Whether it has just come. */
  readonly isNew: boolean
  readonly isCancelled: boolean
  /** Whether the stock of the order is sold out. */
  readonly isShort: boolean
  /** Whether a gateway has money for a payment that has failed or was cancelled here. */
  readonly isEnded: boolean
  /** Whether a refund has failed: the shopper does not have the money. */
  readonly failsRefund: boolean
  /** Whether more is refunded than before. */
  readonly refundsMore: boolean
  /** Whether the gateway has received more than the payment, and not returned that. */
  readonly isOverpaid: boolean
}

/** The concern about a transaction that has changed, given the one before. It ends when the money is returned. */
export function concernAfter(
  before: Concern | undefined,
  { hasMoney, isNew, isCancelled, isShort, isEnded, failsRefund, refundsMore, isOverpaid }: Facts,
): Concern | undefined {
  if (isEnded) return 'ended'
  if (failsRefund || (before === 'refund_failed' && !refundsMore)) return 'refund_failed'
  if (hasMoney && isShort) return 'no_stock'
  if (hasMoney && (before === 'order_cancelled' || (isNew && isCancelled))) return 'order_cancelled'
  return isOverpaid ? 'overpaid' : undefined
}
