import { newId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { GatewayAnswer, GatewayPayment } from '../rules/gateway-payment.ts'

/** What a gateway can be asked about a payment. */
export const gatewayVerbs = ['pay', 'read', 'capture', 'refund', 'cancel'] as const
type GatewayVerb = (typeof gatewayVerbs)[number]

/** Keeps how payments begin. */
export async function recordBeginning(
  work: Work,
  transactionId: string,
  begun: GatewayPayment,
): Promise<void> {
  await insert(work, transactionId, 'begin', begun)
}

/** Keeps that a gateway is about to be asked. Until its answer is kept, it is unknown what the gateway has done. */
export async function recordQuestion(work: Work, transactionId: string, verb: GatewayVerb): Promise<string> {
  const id = newId()
  await work.store.run(
    `INSERT INTO transaction_events (store_id, transaction_id, id, verb, asked_at) VALUES ($1, $2, $3, $4, $5)`,
    ...[transactionId, id, verb, work.clock.now()],
  )
  return id
}

/** Keeps an answer to the question `eventId`, or to one that no event has. The caller has locked the order. */
export async function recordAnswer(
  work: Work,
  { transactionId, eventId, verb }: AnsweredQuestion,
  answer: GatewayAnswer,
): Promise<void> {
  const { reports, reference, failure, refusal, detailedStatus, cancellationReason } = answer
  const kept: GatewayAnswer = { reports, reference, failure, refusal, detailedStatus, cancellationReason }
  if (eventId === undefined) return insert(work, transactionId, verb, kept)
  await work.store.run(
    `UPDATE transaction_events SET answer = $4, place = ${nextPlace} WHERE store_id = $1 AND id = $3 AND transaction_id = $2`,
    ...[transactionId, eventId, JSON.stringify(kept)],
  )
}

interface AnsweredQuestion {
  readonly transactionId: string
  readonly eventId?: string | undefined
  readonly verb: GatewayVerb
}

/** Forgets a question whose answer says nothing new. */
export async function forgetQuestion({ store }: Work, eventId: string): Promise<void> {
  await store.run('DELETE FROM transaction_events WHERE store_id = $1 AND id = $2', eventId)
}

const nextPlace = `(SELECT coalesce(max(place) + 1, 0) FROM transaction_events WHERE store_id = $1 AND transaction_id = $2)`

async function insert({ store, clock }: Work, transactionId: string, verb: string, answer: object) {
  await store.later().run(
    `INSERT INTO transaction_events (store_id, transaction_id, id, verb, asked_at, answer, place)
     SELECT s.id, $2::uuid, $3::uuid, $4, $5::timestamptz, $6::json, ${nextPlace} FROM stores s WHERE s.id = $1`,
    ...[transactionId, newId(), verb, clock.now(), JSON.stringify(answer)],
  )
}

/** Whether it is unknown what a gateway has done with one of these payments. A read does nothing with them. */
export async function isAnyUnknown({ store }: Work, transactionIds: readonly string[]): Promise<boolean> {
  if (!transactionIds.length) return false
  const rows = await store.run(
    `SELECT FROM transaction_events
     WHERE store_id = $1 AND transaction_id = ANY($2::uuid[]) AND answer IS NULL AND verb <> 'read' LIMIT 1`,
    transactionIds,
  )
  return rows.length > 0
}
