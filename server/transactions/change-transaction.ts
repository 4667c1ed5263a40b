import { objectAnswer } from '../kernel/http/object-answer.ts'
import { newId } from '../kernel/ids.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { Changes } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import {
  afterReports,
  type Decision,
  type Gateway,
  type OrderMoney,
  type Outcome,
  type Receipt,
  type Transaction,
  type Via,
} from '../payments/index.ts'
import { accept } from './decide.ts'
import { gatewayOf } from './find-gateway.ts'
import { lockOrder, settleChange, transactionOf } from './settle.ts'
import { type TransactionFields, type TransactionRow, transactions } from './transactions.ts'

/** One of the verbs that change a transaction. */
interface Verb<T> {
  /** Whether the transaction can change so now. */
  decide(money: OrderMoney, transaction: Transaction, gateway: Gateway): Decision<T>
  /** Asks the gateway. */
  ask(gateway: Gateway, receipt: Receipt, decided: T, via: Via): Promise<Outcome>
  /** What it changes besides the transaction's state. */
  labels?(row: TransactionRow): Changes<TransactionFields>
}

/** Changes a transaction by a verb, and its order with it. A verb that changes nothing writes nothing. */
export async function changeTransaction<T>(
  ctx: Ctx,
  params: { readonly order_id: string; readonly id: string },
  verb: Verb<T>,
): Promise<Answer> {
  const locked = await lockOrder(ctx, params.order_id)
  const transaction = transactionOf(locked, params.id)
  const id = params.id.toLowerCase()
  const row = (await ctx.store.findWhole(transactions, id, [locked.order.id])) as TransactionRow
  const gateway = gatewayOf(row.doc.gateway)
  const decided = accept(verb.decide(locked.money, transaction, gateway))
  const { amount, refundedAmount } = transaction
  const receipt = { reference: row.doc.reference, amount, refundedAmount }
  const { reports } = await verb.ask(gateway, receipt, decided, { key: newId() })
  const after = afterReports(transaction, reports)
  const labels = verb.labels?.(row) ?? {}
  const isSame = after === transaction && !Object.keys(labels).length
  const written = isSame ? row : await settleChange(ctx, locked, id, after, labels)
  return objectAnswer(200, transactions, written, ctx)
}
