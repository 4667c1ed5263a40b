import type { Changes } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isPaid, isPending, type Report, type Transaction } from '../../orders/index.ts'
import type { Outcome } from '../rules/gateway.ts'
import { afterAnswer } from '../rules/gateway-payment.ts'
import type { Reason } from '../rules/reason.ts'
import type { LockedOrder } from '../transactions/payments-of-orders.ts'
import { changePayments, paymentIn, type SettledOrder, settleChange } from '../transactions/settle.ts'
import { forgetQuestion, recordAnswer } from '../transactions/transaction-events.ts'
import {
  type TransactionFields,
  type TransactionRow,
  transactions,
  type WholeTransaction,
} from '../transactions/transactions.ts'
import type { GatewayRequest, Question } from './gateway-call.ts'

/** What a gateway has answered, or a job has read. */
interface AnsweredRequest extends Pick<GatewayRequest, 'orderId' | 'transactionId' | 'eventId' | 'labels'> {
  readonly question: Pick<Question, 'verb'>
}

/** A transaction after the answer of its gateway. */
interface SettledOutcome {
  readonly row: TransactionRow
  readonly refusal: Reason | undefined
  readonly browser: Outcome['browser']
}

/**
 * Records what a gateway has answered, for a request, a job or a webhook alike. An answer that says nothing new writes
 * nothing. Undefined if the order no longer exists.
 */
export const settleOutcome = (
  work: Work,
  request: AnsweredRequest,
  outcome: Outcome,
): Promise<SettledOutcome | undefined> =>
  changePayments<SettledOutcome | undefined>(
    work,
    request.orderId,
    async (locked) => {
      const row = await work.store.findWhole(transactions, request.transactionId, [request.orderId])
      return row ? settleAnswer(work, locked, row, request, outcome) : { result: undefined }
    },
    () => undefined,
  )

/** As `settleOutcome`, for a transaction of a locked order. */
export async function settleAnswer(
  work: Work,
  locked: LockedOrder,
  row: WholeTransaction,
  request: AnsweredRequest,
  outcome: Outcome,
): Promise<SettledOrder<SettledOutcome>> {
  const payment = paymentIn(row)
  const after = afterAnswer(payment, outcome)
  const labels = labelsOf(row, after.transaction, request, outcome)
  const isEnded = isPaidAfterEnd(after.transaction, outcome.reports)
  const isSame =
    after === payment && !Object.keys(labels).length && isEnded === (row.hidden.concern === 'ended')
  const { question, eventId } = request
  if (!isSame || question.verb !== 'read')
    await recordAnswer(work, { ...request, verb: question.verb }, outcome)
  else if (eventId !== undefined) await forgetQuestion(work, eventId)
  // The stock of a payment waits for its answer, and that of a concern for the merchant.
  const isSettled = isSame && question.verb !== 'pay' && row.hidden.concern !== 'no_stock'
  const { result, values } = isSettled
    ? { result: row }
    : await settleChange(work, locked, row, after, { labels, isEnded })
  return {
    result: {
      row: result,
      refusal: refusalIn(request, after.transaction, outcome),
      // Nobody is to pay for an order that is cancelled.
      browser: isPending(after.transaction) && !locked.money.isCancelled ? outcome.browser : undefined,
    },
    values,
  }
}

/** Records how the gateway of a transaction says that it stands. */
export const settleRead = (work: Work, row: TransactionRow, outcome: Outcome) =>
  settleOutcome(
    work,
    { orderId: row.scope[0] ?? '', transactionId: row.id, question: { verb: 'read' }, labels: {} },
    outcome,
  )

/**
 * The labels of the request that the transaction does not have yet. What has changed although the call was refused,
 * others have done. A webhook may have recorded the change before.
 */
function labelsOf(
  { doc }: TransactionRow,
  after: Transaction,
  { labels }: AnsweredRequest,
  { refusal }: Outcome,
): Changes<TransactionFields> {
  if (!isPaid(after) || refusal) return {}
  return Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => doc[name as keyof typeof doc] !== value),
  ) as Changes<TransactionFields>
}

/** Whether the gateway has money for a payment that has failed or was cancelled here. */
function isPaidAfterEnd({ status, amount }: Transaction, reports: readonly Report[]): boolean {
  if (status !== 'failed' && status !== 'cancelled') return false
  const received = Math.max(...reports.map((one) => (one.is === 'paid' ? (one.amount ?? amount) : 0)))
  const isReturned = reports.some((one) => one.is === 'refunded' && one.amount >= received)
  return !isReturned && reports.some((one) => one.is === 'paid' || one.is === 'authorized')
}

/** Why the gateway has refused what was asked. A payment that waits for the shopper is not refused. */
function refusalIn(
  { question: { verb } }: AnsweredRequest,
  after: Transaction,
  { failure, refusal }: Outcome,
): Reason | undefined {
  if (verb === 'read') return undefined
  if (verb === 'pay') return after.status === 'failed' ? failure : undefined
  return refusal
}
