import { isCancelledBy, isShippedBy, type OrderState } from './order-states.ts'

/** What can happen to an order, beside being created and changed. */
type OrderEvent = 'order.authorized' | 'order.paid' | 'order.refunded' | 'order.fulfilled' | 'order.cancelled'

const byPayment: Readonly<Partial<Record<OrderState['payment'], OrderEvent>>> = {
  authorized: 'order.authorized',
  paid: 'order.paid',
  refunded: 'order.refunded',
}

/** What has happened to an order between two of its states. Parts of payments are no events of their own. */
export function eventsBetween(before: OrderState, after: OrderState): readonly OrderEvent[] {
  // A refund that has failed leaves the order paid, as it was before: nobody is to ship it again.
  const isPaidAgain = before.payment === 'refunded' && after.payment === 'paid'
  const ofPayment = after.payment === before.payment || isPaidAgain ? undefined : byPayment[after.payment]
  return [
    ...(ofPayment ? [ofPayment] : []),
    ...(isShippedBy(before, after) ? ['order.fulfilled' as const] : []),
    ...(isCancelledBy(before, after) ? ['order.cancelled' as const] : []),
  ]
}
