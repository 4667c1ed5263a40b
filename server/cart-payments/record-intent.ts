import type { GatewaySlug } from '../gateways/index.ts'
import type { Work } from '../kernel/work/context.ts'
import { change } from '../kernel/write/by-rules.ts'
import { orders } from '../orders/index.ts'
import { startPayment } from '../payments/index.ts'
import { accept, type GatewayRequest, lockOrder, settleNew } from '../transactions/index.ts'

/** What the transaction of an intent is called, as the public contract has it. */
export const intentName = 'Stripe Payment Intent'

/**
 * Makes a transaction of the intent that an order has from its cart: from then on, it is settled as any other.
 * Undefined if the order has none, or another than `expected`. The caller reads the intent and settles the transaction.
 */
export async function recordIntent(
  work: Work,
  orderId: string,
  expected?: string,
): Promise<GatewayRequest | undefined> {
  const locked = await lockOrder(work, orderId)
  const { order, money } = locked
  const { payment_intent_id: reference } = order.doc
  if (reference === undefined || (expected !== undefined && reference !== expected)) return undefined
  const gateway = order.hidden.payment_gateway as GatewaySlug
  const started = accept(startPayment(money, { gateway, method: 'purchase_setup', amount: undefined }))
  const labels = { gateway, reference, custom_reference: reference, name: intentName }
  const row = await settleNew(work, locked, started, labels)
  await change(work, orders, [], order.id, { payment_intent_id: '' } as never)
  const receipt = { reference, amount: started.amount, refundedAmount: 0 }
  return readOf(gateway, order.id, row.id, receipt)
}

/** The question how an intent stands. */
export const readOf = (
  gateway: GatewaySlug,
  orderId: string,
  transactionId: string,
  receipt: { readonly reference: string; readonly amount: number; readonly refundedAmount: number },
): GatewayRequest => ({
  ...{ gateway, orderId, transactionId },
  question: { verb: 'read', receipt },
  labels: {},
})
