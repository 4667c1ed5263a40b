import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { callOut } from '../../kernel/work/outside-calls.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { type GatewayRequest, gatewayCall } from '../payment-calls/gateway-call.ts'
import { paymentFields } from '../payment-calls/pay-order.ts'
import { respond } from '../payment-calls/respond.ts'
import { transactions } from '../transactions/transactions.ts'
import { intentName, readOf, recordIntent } from './record-intent.ts'

/** Records the payment that began with the cart. */
export const confirmOrder = action({
  name: 'confirm-order',
  route: 'POST /v2/orders/:order_id/confirm',
  about:
    'Asks Stripe how the payment intent of the order stands, which began with its cart, and records it as a transaction. The order has no `payment_intent_id` from then on. A repeated request asks again.',
  area: 'payments',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: {
    ...{ type: 'order', typeOptional: true, optional: true },
    fields: { options: paymentFields.options },
  },
  refuses: ['conflict', 'unprocessable'],
  shows: { resource: transactions },
  run: (ctx, { params }) =>
    callOut(ctx, gatewayCall, (inside) => prepareConfirm(inside, params.order_id), respond),
})

/** The intent becomes a transaction before the gateway is asked. */
async function prepareConfirm(ctx: Ctx, id: string): Promise<GatewayRequest> {
  return (await recordIntent(ctx, id)) ?? confirmAgain(ctx, id.toLowerCase())
}

/** The transaction that an earlier confirm has made. */
async function confirmAgain({ store }: Ctx, orderId: string): Promise<GatewayRequest> {
  const [row] = await store.run(
    `SELECT id, doc->>'gateway', doc->>'reference', doc->>'amount', doc->>'refunded_amount' FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 AND doc->>'name' = $3 AND doc->>'gateway' <> 'manual'
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    orderId,
    intentName,
  )
  if (!row) {
    const detail =
      'The order has no payment intent: its cart had none. Pay it with POST /v2/orders/{id}/payments.'
    throw new Problem('unprocessable', detail, { title: 'Order cannot be confirmed in its current state' })
  }
  const [id, gateway, reference, amount, refunded] = row as [string, GatewaySlug, string, string, string]
  return readOf(gateway, orderId, id, {
    ...{ reference, amount: Number(amount), refundedAmount: Number(refunded) },
  })
}
