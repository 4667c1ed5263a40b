import { isSeller } from '../../kernel/auth/principal.ts'
import { tryOpen } from '../../kernel/auth/seal.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer, withData } from '../../kernel/http/object-answer.ts'
import { problemAnswer } from '../../kernel/http/problems.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Outcome } from '../rules/gateway.ts'
import { type Reason, reasonForShoppers } from '../rules/reason.ts'
import { membersForBrowser, transactions } from '../transactions/transactions.ts'
import type { SettledPayment } from './gateway-call.ts'

/** The response to a request that a gateway has answered: the transaction, or why the gateway has refused. */
export async function respond(ctx: Ctx, settled: SettledPayment): Promise<Answer> {
  const { orderId, transactionId, refusal, browser } = settled
  const row = settled.exists && (await ctx.store.findWhole(transactions, transactionId, [orderId]))
  if (!row) return problemAnswer(notFound('transaction', transactionId), ctx.requestId)
  // Not thrown: what the gateway has answered is recorded in this transaction.
  if (refusal)
    return problemAnswer(refusedByGateway(ctx, refusal, { transaction_id: transactionId }), ctx.requestId)
  const answer = objectAnswer(200, transactions, row, ctx)
  const opened = browser === undefined ? undefined : tryOpen(ctx.instance.sealKeys, browser)
  return opened === undefined
    ? answer
    : withData(answer, membersForBrowser(JSON.parse(opened) as NonNullable<Outcome['browser']>))
}

/** The refusal of a gateway. What concerns the settings of the merchant, only sellers read. */
export function refusedByGateway(ctx: Ctx, refusal: Reason, meta: object = {}): Problem {
  const { code, reason } = isSeller(ctx.who) ? refusal : reasonForShoppers(refusal)
  return new Problem('bad_request', reason, {
    title: 'Payment gateway processing failed',
    meta: { error: code, ...meta },
  })
}
