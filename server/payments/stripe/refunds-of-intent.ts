import type Stripe from 'stripe'

type Refunds = Stripe['refunds']

/** What is refunded of an intent, and what was to be refunded and came back. */
export interface RefundSums {
  readonly refunded: number
  readonly failed: number
}

/** An intent has fewer refunds. A list without an end would be read for ever. */
const refundsMax = 10_000

/** The refunds of an intent, also those that have failed. */
export async function* refundsOf(refunds: Refunds, intent: string): AsyncGenerator<Stripe.Refund> {
  let n = 0
  for await (const refund of refunds.list({ payment_intent: intent, limit: 100 })) {
    if (++n > refundsMax) throw new Error(`${intent} has more than ${refundsMax} refunds`)
    yield refund
  }
}

/** A bank may not take a refund, and says so days later. */
export const hasFailed = ({ status }: Stripe.Refund): boolean => status === 'failed' || status === 'canceled'

export async function sumRefunds(refunds: Refunds, intent: string): Promise<RefundSums> {
  const sums = { refunded: 0, failed: 0 }
  for await (const refund of refundsOf(refunds, intent)) {
    const { amount } = refund
    if (!Number.isSafeInteger(amount) || amount < 0) throw new Error('Stripe has sent a wrong refund')
    sums[hasFailed(refund) ? 'failed' : 'refunded'] += amount
  }
  return sums
}
