import type { GatewaySlug } from '../gateways/index.ts'
import type { Work } from '../kernel/work/context.ts'
import type { Job } from '../kernel/work/job.ts'
import { type OrderRow, orders } from '../orders/index.ts'
import type { Outcome } from '../payments/index.ts'
import { afterFaultMs, ageMsOf, nextReadMs, readAtGateway, settleOutcome } from '../transactions/index.ts'
import { recordIntent } from './record-intent.ts'

/**
 * Reads the payment intent that an order has from its cart, and records it once the shopper has paid: they may close
 * the page before the storefront confirms the order.
 */
export const followIntent: Job<{ readonly orderId: string }> = {
  name: 'cart-payments:follow-intent',
  attemptsMax: 25,
  async run(work, { orderId }) {
    const order = await work.store.findWhole(orders, orderId)
    if (order?.doc.payment_intent_id === undefined) return
    try {
      const outcome = await readIntent(work, order)
      if (outcome.reports.some(({ is }) => is === 'paid' || is === 'authorized')) {
        await work.transaction((inside) => recordAndSettle(inside, order, outcome))
      } else if (!outcome.reports.length) {
        const waitMs = nextReadMs(ageMsOf(work, order))
        if (waitMs !== undefined) await later(work, orderId, waitMs)
      }
    } catch (error) {
      work.instance.log.error({ err: error }, `the payment intent of order ${orderId} is not recorded yet`)
      // An order that takes no payment now may take it when another one has failed.
      const ageMs = ageMsOf(work, order)
      if (nextReadMs(ageMs) !== undefined) await later(work, orderId, afterFaultMs(ageMs))
    }
  },
}

const receiptOf = ({ doc, hidden }: OrderRow) => ({
  reference: doc.payment_intent_id ?? '',
  amount: hidden.prices?.with_tax ?? 0,
  refundedAmount: 0,
})

const readIntent = (work: Work, order: OrderRow): Promise<Outcome> =>
  readAtGateway(work, order.hidden.payment_gateway as GatewaySlug, receiptOf(order))

async function recordAndSettle(work: Work, { id, doc }: OrderRow, outcome: Outcome): Promise<void> {
  const request = await recordIntent(work, id, doc.payment_intent_id)
  if (request) await settleOutcome(work, request, outcome)
}

/** Follows the intent of an order that a checkout has just made. */
export const followIntentOf = (work: Work, orderId: string): Promise<void> =>
  later(work, orderId, nextReadMs(0) ?? 0)

/** Reads an intent as soon as a job can, if an order has it. */
export async function hearIntent(work: Work, intent: string): Promise<void> {
  const [row] = await work.store.run(
    `SELECT id FROM orders WHERE store_id = $1 AND doc->>'payment_intent_id' = $2
       AND doc->>'payment_intent_id' IS NOT NULL LIMIT 1`,
    intent,
  )
  if (row) await later(work, row[0] as string, 0)
}

function later(work: Work, orderId: string, waitMs: number): Promise<void> {
  const at = new Date(work.clock.now().getTime() + waitMs)
  return work.later(followIntent, { orderId }, { key: `intent of order ${orderId}`, at })
}
