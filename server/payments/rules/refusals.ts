import { Problem } from '../../kernel/errors.ts'
import type { Refusal } from './requests.ts'

const words: Readonly<
  Record<Exclude<Refusal['reason'], 'amount-out-of-range' | 'zero-total'>, () => Problem>
> = {
  'order-cancelled': () => new Problem('unprocessable', 'The order is cancelled; it takes no payments.'),
  'order-settled': () =>
    new Problem('conflict', 'The order has no balance owing; it takes no further payments.'),
  'balance-pending': () =>
    new Problem(
      'conflict',
      'Pending transactions cover the balance of the order; confirm or cancel them first.',
    ),
  'not-capturable': () =>
    unprocessable(
      'Transaction cannot be captured in its current state',
      'only a complete authorization can be.',
    ),
  'not-refundable': () =>
    unprocessable(
      'Transaction cannot be refunded in its current state',
      'only a complete purchase or capture can be.',
    ),
  'order-not-refundable': () =>
    unprocessable(
      'Transaction cannot be refunded in its current state',
      'its order must be paid or cancelled.',
    ),
  'not-cancellable': () =>
    unprocessable(
      'Transaction cannot be cancelled in its current state',
      'only a pending transaction or a complete authorization can be.',
    ),
}

const unprocessable = (what: string, why: string): Problem => new Problem('unprocessable', `${what}: ${why}`)

/** The refusal in the words of clients. */
export function problemOf(refusal: Refusal): Problem {
  if (refusal.reason === 'zero-total') {
    const accepted = refusal.part === 'gateway' ? 'manual' : 'purchase'
    const detail = `data.${refusal.part} must be "${accepted}" where the total of the order is zero.`
    return new Problem('unprocessable', detail, { source: `data.${refusal.part}` })
  }
  if (refusal.reason === 'amount-out-of-range') {
    const { min, max } = refusal
    const accepted = min === max ? `${max}` : `from ${min} to ${max}`
    return new Problem('invalid_field', `data.amount must be ${accepted}.`, { source: 'data.amount' })
  }
  return words[refusal.reason]()
}
