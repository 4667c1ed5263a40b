import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { orders, type Transaction } from '../../orders/index.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { newPayment } from '../rules/payment-state.ts'
import { problemOf } from '../rules/refusals.ts'
import { type Refusal, startPayment } from '../rules/requests.ts'
import { lockOrder, settleNew } from '../transactions/settle.ts'
import type { TransactionRow } from '../transactions/transactions.ts'

/** What the transaction of an intent is called, as the public contract has it. */
export const intentName = 'Stripe Payment Intent'

/**
 * Makes a transaction of the intent that an order has from its cart: from then on, it is settled as any other.
 * Undefined if the order has none, or another than `expected`. The caller reads the intent and settles the transaction.
 * Where the order takes no payment, `whenRefused` says what to do; without it, that is a Problem.
 */
export async function recordIntent(
  work: Work,
  orderId: string,
  { expected, whenRefused }: { expected?: string | undefined; whenRefused?: WhenRefused } = {},
): Promise<TransactionRow | undefined> {
  const locked = await lockOrder(work, orderId)
  const { order, money } = locked
  const { payment_intent_id: reference } = order.doc
  if (reference === undefined || (expected !== undefined && reference !== expected)) return undefined
  const gateway = order.hidden.payment_gateway as GatewaySlug
  const { refusal, value } = startPayment(money, { gateway, method: 'purchase_setup', amount: undefined })
  if (refusal && !whenRefused) throw problemOf(refusal)
  const started = value ?? (refusal && whenRefused?.(refusal))
  if (started === 'wait') return undefined
  const unlink = () => change(work, orders, [], order.id, { payment_intent_id: '' } as never)
  if (!started) {
    await unlink()
    return undefined
  }
  const labels = { gateway, custom_reference: reference, name: intentName, is_form: true }
  const begun = newPayment(started, { reference, failure: refusal && reasonOf(refusal) })
  const row = await settleNew(work, locked, begun, labels)
  await unlink()
  return row
}

/** The transaction of an intent that is not owed; undefined to record none, and `wait` to keep the intent. */
export type WhenRefused = (refusal: Refusal) => Transaction | 'wait' | undefined

const reasonOf = (refusal: Refusal) => ({
  code: refusal.reason.replaceAll('-', '_'),
  reason: problemOf(refusal).message,
})
