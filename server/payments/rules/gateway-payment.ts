import { isDeepStrictEqual } from 'node:util'
import { afterReports, isPaid, type Transaction } from '../../orders/index.ts'
import { type Excess, withoutExcess } from './excess.ts'
import type { Outcome } from './gateway.ts'
import type { Reason } from './reason.ts'

/** How a payment stands, as its gateway has decided. */
export interface GatewayPayment {
  readonly transaction: Transaction
  /** What the gateway calls it. */
  readonly reference: string | undefined
  /** The gateway's own word for how it stands. */
  readonly detailedStatus: string | undefined
  /** Why it has failed or was given up. */
  readonly failure: Reason | undefined
  readonly excess: Excess | undefined
}

/** What is kept of an answer: nothing secret or personal. */
export type GatewayAnswer = Pick<
  Outcome,
  'reports' | 'reference' | 'failure' | 'refusal' | 'detailedStatus' | 'cancellationReason'
>

/** A payment that begins. */
export const newPayment = (
  transaction: Transaction,
  { reference, failure }: Partial<GatewayPayment> = {},
): GatewayPayment => ({ transaction, reference, failure, detailedStatus: undefined, excess: undefined })

/** How a payment stands after an answer; the same one if the answer says nothing new. */
export function afterAnswer(before: GatewayPayment, answer: GatewayAnswer): GatewayPayment {
  const { reports, excess } = withoutExcess(before.transaction, answer.reports)
  const transaction = afterReports(before.transaction, reports)
  const isNew = transaction !== before.transaction
  const after = {
    transaction,
    reference: before.reference ?? answer.reference,
    detailedStatus: answer.detailedStatus ?? before.detailedStatus,
    failure: (isNew && failureIn(transaction, answer)) || before.failure,
    excess: (isPaid(transaction) && excess) || before.excess,
  }
  return isDeepStrictEqual(after, before) ? before : after
}

/** How a payment stands after all that its gateway has said, in the order of the answers. */
export const afterAnswers = (begun: GatewayPayment, answers: readonly GatewayAnswer[]): GatewayPayment =>
  answers.reduce(afterAnswer, begun)

const abandoned = { code: 'abandoned', reason: 'The shopper did not complete the payment.' }

function failureIn(
  { status }: Transaction,
  { failure, cancellationReason }: GatewayAnswer,
): Reason | undefined {
  if (status === 'failed') return failure
  return status === 'cancelled' && cancellationReason === abandoned.code ? abandoned : undefined
}
