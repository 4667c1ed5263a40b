import type Stripe from 'stripe'
import type { GatewayCall, Outcome, Receipt } from '../payments/index.ts'
import { refusedOutcome } from './outcome-of.ts'
import { isFault, isReplayed } from './stripe-client.ts'

/** What a refund needs of the gateway. */
interface Calls {
  stripe(): Promise<Stripe>
  readOutcome(reference: string): Promise<Outcome>
  /** Runs a call with these keys, and says how the intent stands. */
  settle(
    reference: string,
    keys: readonly string[],
    call: (key: string) => Promise<unknown>,
    isDone: (now: Outcome) => boolean,
  ): Promise<Outcome>
}

/** After a fault, Stripe may still complete what it has begun. It is given so long. */
const completedMaxMs = 5 * 60_000

/**
 * Refunds a part of an intent. A refund has one key, because another one would be another refund. Stripe repeats a
 * fault for that key. So a while after a fault, the refunds of the intent say whether this one was made.
 */
export async function refundAt(
  { stripe, readOutcome, settle }: Calls,
  { reference, refundedAmount: before }: Receipt,
  refundedAmount: number,
  { key, faultMs, keepFault }: GatewayCall,
): Promise<Outcome> {
  const isDone = ({ reports }: Outcome) =>
    reports.some((one) => one.is === 'refunded' && one.amount >= refundedAmount)
  // A run before this one may have refunded it, longer ago than Stripe remembers keys.
  const now = await readOutcome(reference)
  if (isDone(now)) return now
  const create = async (idempotencyKey: string) =>
    (await stripe()).refunds.create(
      { payment_intent: reference, amount: refundedAmount - before, metadata: { refund_key: key } },
      { idempotencyKey },
    )
  try {
    return await settle(reference, [key], create, isDone)
  } catch (error) {
    if (!isFault(error)) throw error
    if (faultMs === undefined) await keepFault?.()
    if (!isReplayed(error) || (faultMs ?? 0) < completedMaxMs) throw error
    const isMade = await hasRefund(await stripe(), reference, key)
    const after = await readOutcome(reference)
    if (isMade) return after
    return refusedOutcome(
      after,
      'api_error',
      'Stripe failed, and has refunded nothing. Send the refund again.',
    )
  }
}

/** An intent has fewer refunds. A list without an end would be read for ever. */
const refundsMax = 10_000

async function hasRefund(stripe: Stripe, intent: string, key: string): Promise<boolean> {
  let n = 0
  for await (const { metadata } of stripe.refunds.list({ payment_intent: intent, limit: 100 })) {
    if (metadata?.refund_key === key) return true
    if (++n > refundsMax) throw new Error(`${intent} has more than ${refundsMax} refunds`)
  }
  return false
}
