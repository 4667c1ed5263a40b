import type { Work } from '../../kernel/work/context.ts'
import type { Job } from '../../kernel/work/job.ts'
import { newTransaction, type OrderRow, orders, type WholeOrder } from '../../orders/index.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { afterFaultMs, ageMsOf, nextReadMs, readOrEnd } from '../payment-calls/follow-payment.ts'
import { settleOutcome } from '../payment-calls/settle-outcome.ts'
import { hearIntentOfCart } from '../payment-calls/unclaimed-intents.ts'
import type { Outcome } from '../rules/gateway.ts'
import { recordIntent, type WhenRefused } from './record-intent.ts'

/** An order that has the payment intent of its cart. */
interface FollowedOrder {
  readonly orderId: string
  /** Absent in jobs of earlier versions. */
  readonly gateway?: string | undefined
}

/**
 * Reads the payment intent that an order has from its cart, and records what has become of it: a shopper may close the
 * page after paying, before the storefront confirms the order, or before paying.
 */
export const followIntent: Job<FollowedOrder> = {
  name: 'cart-payments:follow-intent',
  attemptsMax: 25,
  callsOut: ({ gateway }) => gateway ?? '',
  async run(work, { orderId }) {
    const order = await work.store.findWhole(orders, orderId)
    if (order?.doc.payment_intent_id === undefined) return
    try {
      const outcome = await readIntent(work, order)
      if (outcome.reports.length) await work.transaction((inside) => recordAndSettle(inside, order, outcome))
      const now = await work.store.find(orders, orderId)
      const waitMs = nextReadMs(ageMsOf(work, order))
      if (now?.doc.payment_intent_id !== undefined && waitMs !== undefined) await later(work, order, waitMs)
    } catch (error) {
      work.instance.log.error({ err: error }, `the payment intent of order ${orderId} is not recorded yet`)
      // An order that takes no payment now may take it when another one has failed.
      const ageMs = ageMsOf(work, order)
      if (nextReadMs(ageMs) !== undefined) await later(work, order, afterFaultMs(ageMs))
    }
  },
}

const receiptOf = ({ doc, hidden }: WholeOrder) => ({
  reference: doc.payment_intent_id ?? '',
  amount: hidden.prices.with_tax,
  refundedAmount: 0,
})

const readIntent = (work: Work, order: WholeOrder): Promise<Outcome> =>
  readOrEnd(work, order.hidden.payment_gateway as GatewaySlug, receiptOf(order), {
    ageMs: ageMsOf(work, order),
    isForm: true,
  })

async function recordAndSettle(work: Work, order: WholeOrder, outcome: Outcome): Promise<void> {
  const expected = order.doc.payment_intent_id
  const request = await recordIntent(work, order.id, { expected, whenRefused: whenRefused(order, outcome) })
  if (request) await settleOutcome(work, request, outcome)
}

/**
 * An order that was paid in another way or cancelled does not take the intent: money for it is a cancelled transaction
 * that the merchant has to look at. Another payment that is pending may fail, so the intent waits for it.
 */
const whenRefused =
  (order: WholeOrder, { reports }: Outcome): WhenRefused =>
  ({ reason }) => {
    if (reason === 'balance-pending') return 'wait'
    const [money] = reports.filter(({ is }) => is === 'paid' || is === 'authorized')
    if (!money) return undefined
    const amount = money.is === 'paid' ? money.amount : undefined
    const ended = newTransaction('purchase_setup', amount ?? receiptOf(order).amount)
    return { ...ended, status: 'cancelled' }
  }

/** Follows the intent of an order that a checkout has just made. */
export const followIntentOfOrder = (work: Work, order: OrderRow): Promise<void> =>
  later(work, order, nextReadMs(0) ?? 0)

/** Reads an intent as soon as a job can, if an order has it. */
export async function hearIntent(work: Work, intent: string): Promise<void> {
  const [row] = await work.store.run(
    `SELECT id FROM orders WHERE store_id = $1 AND doc->>'payment_intent_id' = $2
       AND doc->>'payment_intent_id' IS NOT NULL LIMIT 1`,
    intent,
  )
  const order = row && (await work.store.findWhole(orders, row[0] as string))
  if (order) await later(work, order, 0)
  else await hearIntentOfACart(work, intent)
}

async function hearIntentOfACart(work: Work, reference: string): Promise<void> {
  const [row] = await work.store.run(
    `SELECT id, reference, hidden->>'payment_gateway', hidden#>>'{priced,prices,with_tax}',
       hidden#>>'{priced,currency,code}'
     FROM carts WHERE store_id = $1 AND doc->>'payment_intent_id' = $2 AND doc->>'payment_intent_id' IS NOT NULL LIMIT 1`,
    reference,
  )
  if (!row) return
  const [cartId, cart, gateway, amount, currency] = row as [string, string, GatewaySlug, string, string]
  await hearIntentOfCart(work, { reference, gateway, cartId, cart, amount: Number(amount), currency })
}

function later(work: Work, { id, hidden }: OrderRow, waitMs: number): Promise<void> {
  const at = new Date(work.clock.now().getTime() + waitMs)
  const followed: FollowedOrder = { orderId: id, gateway: hidden.payment_gateway }
  return work.later(followIntent, followed, { key: `intent of order ${id}`, at })
}
