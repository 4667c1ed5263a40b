import type { Work } from '../../kernel/work/context.ts'
import type { Transaction } from '../../orders/index.ts'
import { newPayment } from '../rules/gateway-payment.ts'
import { problemOf } from '../rules/refusals.ts'
import { type Refusal, startPayment } from '../rules/requests.ts'
import type { LockedOrder } from '../transactions/payments-of-orders.ts'
import { changePayments, type SettledOrder, settleNew } from '../transactions/settle.ts'
import type { TransactionRow } from '../transactions/transactions.ts'
import { deleteCartPayment, findCartPayment } from './cart-payments.ts'

/** What the transaction of an intent is called, as the public contract has it. */
export const intentName = 'Stripe Payment Intent'

/** The transaction of a payment that is not owed; undefined to record none, and `wait` to keep the payment. */
export type WhenRefused = (refusal: Refusal) => Transaction | 'wait' | undefined

/**
 * Makes a transaction of the payment that an order has from its cart: from then on, it is settled as any other.
 * Undefined if the order has none. The caller reads the payment and settles the transaction. Where the order takes no
 * payment, `whenRefused` says what to do; without it, that is a Problem.
 */
export const recordCartPayment = (
  work: Work,
  orderId: string,
  whenRefused?: WhenRefused,
): Promise<TransactionRow | undefined> =>
  changePayments(work, orderId, (locked) => record(work, locked, whenRefused))

async function record(
  work: Work,
  locked: LockedOrder,
  whenRefused: WhenRefused | undefined,
): Promise<SettledOrder<TransactionRow | undefined>> {
  const { order, money } = locked
  const { payment_intent_id: reference } = order.doc
  const payment = reference === undefined ? undefined : await findCartPayment(work, reference)
  if (!payment) return { result: undefined }
  const { gateway } = payment
  const { refusal, value } = startPayment(money, { gateway, method: 'purchase_setup', amount: undefined })
  if (refusal && !whenRefused) throw problemOf(refusal)
  const started = value ?? (refusal && whenRefused?.(refusal))
  if (started === 'wait') return { result: undefined }
  const labels = { gateway, custom_reference: payment.reference, name: intentName, is_form: true }
  const begun = started && newPayment(started, { reference, failure: refusal && reasonOf(refusal) })
  const settled = begun && (await settleNew(work, locked, begun, labels))
  await deleteCartPayment(work, payment.reference)
  return {
    result: settled?.result,
    values: { ...settled?.values, payment_intent_id: '' },
    last: settled?.last,
  }
}

const reasonOf = (refusal: Refusal) => ({
  code: refusal.reason.replaceAll('-', '_'),
  reason: problemOf(refusal).message,
})
