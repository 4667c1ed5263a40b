import type { GatewaySlug } from '../gateways/index.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { callOut } from '../kernel/work/outside-calls.ts'
import { change } from '../kernel/write/by-rules.ts'
import { orders } from '../orders/index.ts'
import { startPayment } from '../payments/index.ts'
import {
  accept,
  type GatewayRequest,
  gatewayCall,
  lockOrder,
  paymentFields,
  respond,
  settleNew,
  transactions,
} from '../transactions/index.ts'

/** What the transaction of an intent is called, as the public contract has it. */
const name = 'Stripe Payment Intent'

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

/** Makes a transaction of the intent, before the gateway is asked: from then on, it is settled as any other. */
async function prepareConfirm(ctx: Ctx, id: string): Promise<GatewayRequest> {
  const locked = await lockOrder(ctx, id)
  const { order, money } = locked
  const { payment_intent_id: reference } = order.doc
  if (reference === undefined) return confirmAgain(ctx, order.id)
  const gateway = order.hidden.payment_gateway as GatewaySlug
  const started = accept(startPayment(money, { gateway, method: 'purchase_setup', amount: undefined }))
  const labels = { gateway, reference, custom_reference: reference, name }
  const row = await settleNew(ctx, locked, started, labels)
  await change(ctx, orders, [], order.id, { payment_intent_id: '' } as never)
  return questionOf(gateway, order.id, row.id, { reference, amount: started.amount, refundedAmount: 0 })
}

/** The transaction that an earlier confirm has made. */
async function confirmAgain({ store }: Ctx, orderId: string): Promise<GatewayRequest> {
  const [row] = await store.run(
    `SELECT id, doc->>'gateway', doc->>'reference', doc->>'amount', doc->>'refunded_amount' FROM order_transactions
     WHERE store_id = $1 AND order_id = $2 AND doc->>'name' = $3 AND doc->>'gateway' <> 'manual'
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    orderId,
    name,
  )
  if (!row) {
    const detail =
      'The order has no payment intent: its cart had none. Pay it with POST /v2/orders/{id}/payments.'
    throw new Problem('unprocessable', detail, { title: 'Order cannot be confirmed in its current state' })
  }
  const [id, gateway, reference, amount, refunded] = row as [string, GatewaySlug, string, string, string]
  return questionOf(gateway, orderId, id, {
    ...{ reference, amount: Number(amount), refundedAmount: Number(refunded) },
  })
}

const questionOf = (
  gateway: GatewaySlug,
  orderId: string,
  transactionId: string,
  receipt: { readonly reference: string; readonly amount: number; readonly refundedAmount: number },
): GatewayRequest => ({
  ...{ gateway, orderId, transactionId },
  question: { verb: 'read', receipt },
  labels: {},
})
