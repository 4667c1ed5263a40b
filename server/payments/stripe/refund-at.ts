import type Stripe from 'stripe'
import type { GatewayCall, Outcome, Receipt } from '../rules/gateway.ts'
import { refusedOutcome } from './outcome-of.ts'
import { hasFailed, refundsOf } from './refunds-of-intent.ts'
import { storedText } from './stored-text.ts'
import { isFault, isReplayed, refusalOf } from './stripe-client.ts'

/** What a refund needs of the gateway. */
interface Calls {
  stripe(): Promise<Stripe>
  readOutcome(reference: string): Promise<Outcome>
}

/** After a fault, Stripe may still complete what it has begun. It is given so long. */
const completedMaxMs = 5 * 60_000

/**
 * Refunds a part of an intent. The refund has one key, because another one would be another refund, and carries that
 * key in its metadata. It is done when the intent has the refund with this key: sums do not say so, since the merchant
 * may refund in the dashboard of Stripe, too.
 */
export async function refundAt(
  { stripe, readOutcome }: Calls,
  { reference, refundedAmount: before }: Receipt,
  refundedAmount: number,
  { key, faultMs, keepFault }: GatewayCall,
): Promise<Outcome> {
  const { refunds } = await stripe()
  /** How the intent stands with the refund; undefined if it has none with the key. */
  const findOutcome = async (): Promise<Outcome | undefined> => {
    const refund = await findRefund(refunds, reference, key)
    return refund && outcomeWith(refund, await readOutcome(reference))
  }
  const create = async (): Promise<Stripe.Refund> => {
    const params = {
      payment_intent: reference,
      amount: refundedAmount - before,
      metadata: { refund_key: key },
    }
    const created = await refunds.create(params, { idempotencyKey: key })
    if (hasKey(created, key)) return created
    throw new Error('Stripe has sent no refund, or another one')
  }
  // A run before this one may have made it, longer ago than Stripe remembers keys.
  const earlier = await findOutcome()
  if (earlier) return earlier
  let created: Stripe.Refund
  try {
    created = await create()
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal) return refusedOutcome(await readAfterRefusal(readOutcome, reference), refusal)
    const made = await findOutcome()
    if (made) return made
    if (!isFault(error)) throw error
    if (faultMs === undefined) await keepFault?.()
    if (!isReplayed(error) || (faultMs ?? 0) < completedMaxMs) throw error
    return refusedOutcome(await readOutcome(reference), {
      code: 'api_error',
      reason: 'Stripe failed, and has refunded nothing. Send the refund again.',
    })
  }
  return outcomeWith(created, await readOutcome(reference))
}

const hasKey = ({ metadata }: Stripe.Refund, key: string): boolean => metadata?.refund_key === key

/** How the intent stands, if Stripe says so to this key of the merchant. */
const readAfterRefusal = (read: Calls['readOutcome'], reference: string): Promise<Outcome> =>
  read(reference).catch((error: unknown) => {
    if (refusalOf(error)) return { reports: [], reference }
    throw error
  })

/** How the intent stands with a refund. A bank may not take it. */
function outcomeWith(refund: Stripe.Refund, now: Outcome): Outcome {
  if (!hasFailed(refund)) return now
  return refusedOutcome(now, {
    code: storedText(refund.failure_reason) ?? 'refund_failed',
    reason: 'The refund failed at Stripe, and the money is not returned.',
  })
}

async function findRefund(
  refunds: Stripe['refunds'],
  intent: string,
  key: string,
): Promise<Stripe.Refund | undefined> {
  for await (const refund of refundsOf(refunds, intent)) if (hasKey(refund, key)) return refund
  return undefined
}
