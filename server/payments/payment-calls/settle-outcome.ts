import type { Changes } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { afterReports, isPaid, isPending, type Report, type Transaction } from '../../orders/index.ts'
import { withoutExcess } from '../rules/excess.ts'
import type { Outcome } from '../rules/gateway.ts'
import { type Reason, reasonForShoppers } from '../rules/reason.ts'
import { lockOrderIfAny, settleChange } from '../transactions/settle.ts'
import { type TransactionFields, type TransactionRow, transactions } from '../transactions/transactions.ts'
import type { GatewayRequest } from './gateway-call.ts'

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
export async function settleOutcome(
  work: Work,
  request: GatewayRequest,
  outcome: Outcome,
): Promise<SettledOutcome | undefined> {
  const { orderId, transactionId } = request
  const locked = await lockOrderIfAny(work, orderId)
  const before = locked?.transactions.get(transactionId)
  if (!locked || !before) return undefined
  const row = (await work.store.findWhole(transactions, transactionId, [orderId])) as TransactionRow
  const { reports, excess } = withoutExcess(before, outcome.reports)
  const after = afterReports(before, reports)
  const labels = {
    ...labelsOf(row, { before, after }, request, outcome),
    ...(isPaid(after) && excess && excess.open !== row.hidden.excess?.open && { excess }),
  }
  const isEnded = isPaidAfterEnd(after, outcome.reports)
  const isSame =
    after === before && !Object.keys(labels).length && isEnded === (row.hidden.concern === 'ended')
  // The stock of a payment waits for its answer, and that of a concern for the merchant.
  const isSettled = isSame && request.question.verb !== 'pay' && row.hidden.concern !== 'no_stock'
  return {
    row: isSettled ? row : await settleChange(work, locked, row, after, { labels, isEnded }),
    refusal: refusalIn(request, after, outcome),
    // Nobody is to pay for an order that is cancelled.
    browser: isPending(after) && !locked.money.isCancelled ? outcome.browser : undefined,
  }
}

const abandoned = { code: 'abandoned', reason: 'The shopper did not complete the payment.' }

/** The labels that a transaction does not have yet. */
const missingIn = (doc: TransactionRow['doc'], labels: Changes<TransactionFields>) =>
  Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => doc[name as keyof typeof doc] !== value),
  ) as Changes<TransactionFields>

/** Shoppers read their transactions, too. */
const failureLabels = (failure: Reason): Changes<TransactionFields> => ({
  failure_details: reasonForShoppers(failure),
  ...(failure.isForMerchant && { merchant_failure: { code: failure.code, reason: failure.reason } }),
})

interface Step {
  readonly before: Transaction
  readonly after: Transaction
}

function labelsOf(
  { doc }: TransactionRow,
  { before, after }: Step,
  { labels }: GatewayRequest,
  { reference, failure, refusal, detailedStatus: detailed, cancellationReason }: Outcome,
): Changes<TransactionFields> {
  return {
    ...(doc.reference === undefined && reference !== undefined && { reference }),
    ...(detailed !== undefined &&
      detailed !== doc.payment_details?.detailed_status && {
        payment_details: { detailed_status: detailed },
      }),
    // What has changed although the call was refused, others have done. A webhook may have recorded the change before.
    ...(isPaid(after) && !refusal && missingIn(doc, labels)),
    ...(after !== before && after.status === 'failed' && failure && failureLabels(failure)),
    ...(after !== before &&
      after.status === 'cancelled' &&
      cancellationReason === abandoned.code && { failure_details: abandoned }),
  }
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
  { question: { verb } }: GatewayRequest,
  after: Transaction,
  { failure, refusal }: Outcome,
): Reason | undefined {
  if (verb === 'read') return undefined
  if (verb === 'pay') return after.status === 'failed' ? failure : undefined
  return refusal
}
