import { Problem } from '../../kernel/errors.ts'
import type { PaymentState } from '../payment-state/payment-of.ts'

/** The states of an order: what has been paid and shipped, and whether it is done. See docs/orders.md. */

export const statuses = ['incomplete', 'processing', 'complete', 'cancelled'] as const
export const shippings = ['unfulfilled', 'fulfilled'] as const

export interface OrderState {
  readonly status: (typeof statuses)[number]
  readonly payment: PaymentState
  readonly shipping: (typeof shippings)[number]
}

export const firstState: OrderState = { status: 'incomplete', payment: 'unpaid', shipping: 'unfulfilled' }

/** What a seller may change by an update; all else follows from the payments of the order. */
interface Change {
  readonly field: 'status' | 'shipping'
  readonly to: string
  /** Why the order cannot change so now; undefined if it can. */
  readonly refusal: (order: OrderState) => string | undefined
}

const changes: readonly Change[] = [
  {
    field: 'status',
    to: 'cancelled',
    refusal: ({ shipping }) =>
      shipping === 'fulfilled' ? 'An order that is fulfilled cannot be cancelled.' : undefined,
  },
  {
    field: 'shipping',
    to: 'fulfilled',
    refusal: ({ status, payment }) => {
      if (status === 'cancelled') return 'An order that is cancelled cannot be fulfilled.'
      return payment === 'paid' ? undefined : `Only a paid order can be fulfilled; this one is ${payment}.`
    },
  },
]

const title = 'Order cannot be updated in its current state'

/**
 * Refuses (422) a change that the order's state does not allow, or another change of the same request. A field that
 * keeps its value is no change.
 */
export function checkChange(before: OrderState, after: OrderState): void {
  for (const field of ['status', 'shipping'] as const) {
    const to = after[field]
    if (to === before[field]) continue
    const change = changes.find((one) => one.field === field && one.to === to)
    const accepted = changes.flatMap((one) => (one.field === field ? one.to : [])).join(', ')
    const refusal = change
      ? change.refusal({ ...after, [field]: before[field] })
      : `The ${field} of an order can be set to ${accepted}, not from ${before[field]} to ${to}.`
    if (refusal) throw new Problem('unprocessable', refusal, { title, source: `data.${field}` })
  }
}

export const isCancelledBy = (from: OrderState, to: OrderState): boolean =>
  to.status === 'cancelled' && from.status !== 'cancelled'

export const isShippedBy = (from: OrderState, to: OrderState): boolean =>
  to.shipping === 'fulfilled' && from.shipping !== 'fulfilled'

/** Refuses (422) a new address for an order that has been shipped. */
export function mustTakeAddress({ shipping }: OrderState): void {
  if (shipping === 'unfulfilled') return
  throw new Problem('unprocessable', 'The address of an order that is fulfilled cannot change.', {
    title,
    source: 'data.shipping_address',
  })
}

/** Whether personal data may be removed: nobody needs it to ship or to collect the order. */
export const canBeAnonymized = ({ status, payment, shipping }: OrderState): boolean =>
  shipping === 'fulfilled' || payment === 'refunded' || status === 'cancelled'
