import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { Outcome } from '../rules/gateway.ts'
import { afterFaultMs, readAtGateway } from './follow-payment.ts'

/** The payment intent of a cart. */
export interface CartIntent {
  readonly reference: string
  readonly gateway: GatewaySlug
  readonly cartId: string
  /** The id of the cart that clients use. */
  readonly cart: string
  readonly amount: number
  readonly currency: string
}

/** The intent of a cart, and since when the server follows it. */
interface FollowedIntent extends CartIntent {
  /** When the cart got the intent. */
  readonly since: string
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** A shopper who has paid is about to check out. */
const claimedMaxMs = 10 * minuteMs

/**
 * Reads the intent of a cart until an order has it: a shopper may pay and close the page before the checkout. It is
 * read at twice its age for a day, because most carts are never paid, and hourly once it is paid.
 */
export const followCartIntent: Job<FollowedIntent> = {
  name: 'transactions:follow-cart-intent',
  attemptsMax: 25,
  callsOut: ({ gateway }) => gateway,
  async run(work, followed) {
    const ageMs = work.clock.now().getTime() - Date.parse(followed.since)
    try {
      if (await isClaimed(work, followed)) return await forget(work, followed)
      const { reference, amount, gateway } = followed
      const outcome = await readAtGateway(work, gateway, { reference, amount, refundedAmount: 0 })
      const held = amountIn(outcome, followed)
      if (held > 0) {
        await note(work, followed, held)
        await later(work, followed, hourMs)
      } else if (outcome.reports.length) await forget(work, followed)
      else if (ageMs < dayMs) await later(work, followed, Math.max(minuteMs, ageMs))
    } catch (error) {
      work.instance.log.error(
        { err: error },
        `the payment intent of cart ${followed.cartId} cannot be read yet`,
      )
      await later(work, followed, afterFaultMs(ageMs))
    }
  },
}

/** How much the gateway has received or holds, and has not returned. */
function amountIn({ reports }: Outcome, { amount }: FollowedIntent): number {
  const money = reports.find(({ is }) => is === 'paid' || is === 'authorized')
  if (!money) return 0
  const returned = reports.reduce((sum, one) => (one.is === 'refunded' ? one.amount : sum), 0)
  return (money.is === 'paid' ? (money.amount ?? amount) : amount) - returned
}

async function isClaimed({ store }: Work, { reference }: CartIntent): Promise<boolean> {
  const rows = await store.run(
    `SELECT FROM orders WHERE store_id = $1 AND doc->>'payment_intent_id' = $2
     UNION ALL
     SELECT FROM order_transactions WHERE store_id = $1 AND doc->>'reference' = $2 AND doc->>'gateway' <> 'manual'
     LIMIT 1`,
    reference,
  )
  return rows.length > 0
}

async function note({ store, clock }: Work, intent: CartIntent, amount: number): Promise<void> {
  const { reference, gateway, cartId, cart, currency } = intent
  await store.run(
    `INSERT INTO unclaimed_intents (store_id, reference, gateway, cart_id, cart, amount, currency, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (store_id, reference) DO UPDATE SET amount = excluded.amount`,
    ...[reference, gateway, cartId, cart, amount, currency, clock.now()],
  )
}

async function forget({ store }: Work, { reference }: CartIntent): Promise<void> {
  await store.run('DELETE FROM unclaimed_intents WHERE store_id = $1 AND reference = $2', reference)
}

/** Follows an intent that a cart has just got, or whose amount has changed. */
export const followIntentOfCart = (work: Work, intent: CartIntent): Promise<void> =>
  later(work, { ...intent, since: work.clock.now().toISOString() }, minuteMs)

/** Reads the intent of a cart as soon as a job can. */
export const hearIntentOfCart = (work: Work, intent: CartIntent): Promise<void> =>
  later(work, { ...intent, since: work.clock.now().toISOString() }, 0)

function later(work: Work, followed: FollowedIntent, waitMs: number): Promise<void> {
  const at = new Date(work.clock.now().getTime() + waitMs)
  return work.later(followCartIntent, followed, { key: `intent ${followed.reference} of a cart`, at })
}

/** Paid intents of carts that no order has, the oldest first. */
export async function findUnclaimed({ store, clock }: Work, most: number) {
  const rows = await store.run(
    `SELECT cart_id, cart, gateway, reference, amount, currency, extract(epoch FROM created_at) * 1000
     FROM unclaimed_intents u
     WHERE store_id = $1 AND created_at < $2
       AND NOT EXISTS (SELECT FROM orders o
         WHERE o.store_id = u.store_id AND o.doc->>'payment_intent_id' = u.reference)
       AND NOT EXISTS (SELECT FROM order_transactions t
         WHERE t.store_id = u.store_id AND t.doc->>'reference' = u.reference AND t.doc->>'gateway' <> 'manual')
     ORDER BY created_at LIMIT $3`,
    new Date(clock.now().getTime() - claimedMaxMs),
    most,
  )
  return rows.map(([id, cart, gateway, reference, amount, currency, createdAtMs]) => ({
    ...{ type: 'open_payment', id, cart_id: cart, gateway, reference, amount: Number(amount), currency },
    ...{ reason: 'no_order', since: new Date(Number(createdAtMs)).toISOString() },
  }))
}
