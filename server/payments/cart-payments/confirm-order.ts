import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { callOut } from '../../kernel/work/outside-calls.ts'
import { askLater, type GatewayRequest, gatewayCall } from '../payment-calls/gateway-call.ts'
import { paymentFields } from '../payment-calls/pay-order.ts'
import { intentName, recordCartPayment } from '../payment-calls/record-cart-payment.ts'
import { respond } from '../payment-calls/respond.ts'
import { receiptOf, type TransactionRow, transactions } from '../transactions/transactions.ts'

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
  const row = (await recordCartPayment(ctx, id)) ?? (await findConfirmed(ctx, id.toLowerCase()))
  return askLater(ctx, row, { verb: 'read', receipt: receiptOf(row) })
}

/** The transaction that an earlier confirm has made. */
async function findConfirmed({ store }: Ctx, orderId: string): Promise<TransactionRow> {
  const [found] = await store.run(
    `SELECT id FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 AND doc->>'name' = $3 AND doc->>'gateway' <> 'manual'
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    orderId,
    intentName,
  )
  const row = found && (await store.findWhole(transactions, found[0] as string, [orderId]))
  if (row) return row
  const detail =
    'The order has no payment intent: its cart had none. Pay it with POST /v2/orders/{id}/payments.'
  throw new Problem('unprocessable', detail, { title: 'Order cannot be confirmed in its current state' })
}
