import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { isId } from '../../kernel/ids.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import { CallUnderWay } from '../../kernel/work/after-call.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { callOut, NoCall } from '../../kernel/work/outside-calls.ts'
import type { OrderMoney, Transaction } from '../../orders/index.ts'
import type { Excess } from '../rules/excess.ts'
import type { Receipt } from '../rules/gateway.ts'
import type { Decision } from '../rules/requests.ts'
import { accept } from '../transactions/decide.ts'
import type { LockedOrder } from '../transactions/payments-of-orders.ts'
import { changePayments, paymentIn, type SettledOrder } from '../transactions/settle.ts'
import { isAnyUnknown } from '../transactions/transaction-events.ts'
import {
  receiptOf,
  type TransactionFields,
  type TransactionRow,
  transactions,
  type WholeTransaction,
} from '../transactions/transactions.ts'
import { isLocal, mustBeReachable } from './find-gateway.ts'
import { ask, askLater, type GatewayRequest, gatewayCall, type Question } from './gateway-call.ts'
import { manualGateway } from './manual-gateway.ts'
import { respond } from './respond.ts'
import { settleAnswer } from './settle-outcome.ts'

/** One of the verbs that change a transaction. */
interface Verb<T> {
  /** Whether the transaction can change so now. */
  decide(money: OrderMoney, transaction: Transaction, isManual: boolean): Decision<T>
  /** What the gateway is asked. */
  question(receipt: Receipt, decided: T): Question
  /** The merchant has done it elsewhere, and the gateway is not asked. */
  readonly isElsewhere?: boolean
  /** What the transaction says besides its state when it is done. */
  labels?(mechanism: 'manual' | 'automatic'): Changes<TransactionFields>
}

interface Params {
  readonly order_id: string
  readonly id: string
}

/** Changes a transaction by a verb, and its order with it. */
export const changeTransaction = <T>(ctx: Ctx, params: Params, verb: Verb<T>): Promise<Answer> =>
  callOut(
    ctx,
    gatewayCall,
    (inside) => changePayments(inside, params.order_id, (locked) => prepare(inside, locked, params.id, verb)),
    respond,
  )

async function prepare<T>(
  ctx: Ctx,
  locked: LockedOrder,
  id: string,
  verb: Verb<T>,
): Promise<SettledOrder<GatewayRequest | NoCall>> {
  const row = await findTransaction(ctx, locked.order.id, id)
  const { gateway, reference } = row.doc
  const isManual = isLocal(gateway)
  const decided = accept(verb.decide(locked.money, paymentIn(row).transaction, isManual))
  const isElsewhere = isManual || verb.isElsewhere === true
  const ofPayment = verb.question(receiptOf(row), decided)
  const question = isElsewhere ? ofPayment : withExcess(ofPayment, row.hidden.excess)
  const labels = verb.labels?.(isElsewhere ? 'manual' : 'automatic') ?? {}
  if (isElsewhere) {
    if (!isManual && (await isAnyUnknown(ctx, [row.id]))) throw new CallUnderWay()
    const request = { orderId: locked.order.id, transactionId: row.id, question, labels }
    const outcome = await ask(manualGateway, question, { key: row.id })
    const { result, values } = await settleAnswer(ctx, locked, row, request, outcome)
    return { result: answer(ctx, result.row), values }
  }
  if (reference !== undefined) {
    await mustBeReachable(ctx, gateway)
    return { result: await askLater(ctx, row, question, labels) }
  }
  // The gateway does not know the payment: it has refused it, or works on it still.
  if (question.verb === 'read') return { result: answer(ctx, row) }
  throw new Problem(
    'conflict',
    'The gateway has not answered yet whether it has the payment. Try again soon.',
  )
}

const answer = (ctx: Ctx, row: TransactionRow) => new NoCall(objectAnswer(200, transactions, row, ctx))

async function findTransaction({ store }: Ctx, orderId: string, id: string): Promise<WholeTransaction> {
  const row = isId(id) ? await store.findWhole(transactions, id.toLowerCase(), [orderId]) : undefined
  if (!row) throw notFound('transaction', id)
  return row
}

/** A refund as the gateway counts it, which has received more and returned that before. */
function withExcess(question: Question, excess: Excess | undefined): Question {
  if (question.verb !== 'refund' || !excess) return question
  if (excess.open > 0) {
    const detail = `Transaction cannot be refunded in its current state: the gateway has received ${excess.open} more. Refund that at the gateway, and confirm the transaction.`
    throw new Problem('unprocessable', detail)
  }
  const { receipt, refundedAmount } = question
  const before = receipt.refundedAmount + excess.total
  return {
    ...question,
    receipt: { ...receipt, refundedAmount: before },
    refundedAmount: refundedAmount + excess.total,
  }
}
