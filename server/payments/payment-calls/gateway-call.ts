import { seal } from '../../kernel/auth/seal.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { OutsideCall } from '../../kernel/work/outside-calls.ts'
import { accessOf, type GatewayAccess } from '../gateways/gateway-access.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import type { CancellationReason, Charge, Gateway, GatewayCall, Outcome, Receipt } from '../rules/gateway.ts'
import type { Reason } from '../rules/reason.ts'
import { recordQuestion } from '../transactions/transaction-events.ts'
import type { TransactionFields, TransactionRow } from '../transactions/transactions.ts'
import { openGateway } from './find-gateway.ts'
import { followLater, followRefund } from './follow-payment.ts'
import { readPayment } from './read-payment.ts'
import { settleOutcome } from './settle-outcome.ts'

/** What a gateway is asked about a transaction. */
export type Question =
  | { readonly verb: 'pay'; readonly charge: Charge; readonly reference?: string }
  | {
      readonly verb: 'read'
      readonly receipt: Receipt
      /** The shopper wants the payment form again. Otherwise a decline ends the payment. */
      readonly isForm?: boolean
    }
  | { readonly verb: 'capture'; readonly receipt: Receipt }
  | { readonly verb: 'cancel'; readonly receipt: Receipt; readonly reason?: CancellationReason | undefined }
  | {
      readonly verb: 'refund'
      readonly receipt: Receipt
      readonly refundedAmount: number
      /** When the gateway has failed at it. */
      readonly faultAt?: string
    }

/** A question, and what its answer is about. It is JSON, committed before the gateway is called. */
export interface GatewayRequest {
  readonly gateway: GatewaySlug
  readonly orderId: string
  readonly transactionId: string
  readonly question: Question
  /** The event of the question, which gets the answer. */
  readonly eventId?: string
  /** What the transaction says besides its state when the gateway has done it. */
  readonly labels: Changes<TransactionFields>
}

/** Keeps a question to the gateway of a transaction, which is asked when the open transaction is committed. */
export async function askLater(
  work: Work,
  { id, scope: [orderId = ''], doc: { gateway } }: Pick<TransactionRow, 'id' | 'scope' | 'doc'>,
  question: Question,
  labels: Changes<TransactionFields> = {},
): Promise<GatewayRequest> {
  const eventId = await recordQuestion(work, id, question.verb)
  return { gateway, orderId, transactionId: id, question, eventId, labels }
}

/** What became of it, for the response. */
export interface SettledPayment {
  /** Whether the transaction still exists. */
  readonly exists: boolean
  readonly orderId: string
  readonly transactionId: string
  /** Why the gateway has refused. */
  readonly refusal?: Reason | undefined
  /** What the shopper's browser needs, sealed. */
  readonly browser?: string
}

/** Longer than a payment whose card is declined: five requests, of which one waits for a bank. */
const callMaxMs = 30_000

/** The call of every payment gateway: whatever is asked, the transaction is settled with the answer in one way. */
export const gatewayCall: OutsideCall<GatewayRequest, Outcome, SettledPayment, GatewayAccess> = {
  name: 'transactions:gateway',
  timeoutMs: callMaxMs,
  // A read moves no money, so it may come at any time.
  subject: ({ question, transactionId }) => (question.verb === 'read' ? undefined : transactionId),
  peer: ({ gateway }) => gateway,
  access: (work, { gateway }) => accessOf(work, gateway),
  send({ id, values }, { keep, services, clock }, access) {
    const { question } = values
    const keepInQuestion = (more: object) => keep({ ...values, question: { ...question, ...more } })
    const faultAt = question.verb === 'refund' ? question.faultAt : undefined
    const via: GatewayCall = {
      key: id,
      keep: (reference) => keepInQuestion({ reference }),
      ...(question.verb === 'pay' && { reference: question.reference }),
      keepFault: () => keepInQuestion({ faultAt: clock.now().toISOString() }),
      ...(faultAt !== undefined && { faultMs: clock.now().getTime() - Date.parse(faultAt) }),
    }
    return ask(openGateway(access, services), question, via)
  },
  async record(work: Work, { values }, outcome) {
    const { orderId, transactionId } = values
    const settled = await settleOutcome(work, values, outcome)
    if (!settled) return { exists: false, orderId, transactionId }
    if (settled.row.doc.status === 'pending') await followLater(work, settled.row)
    if (values.question.verb === 'refund' && !settled.refusal) {
      await followRefund(work, settled.row)
    }
    const { sealKeys } = work.instance
    return {
      ...{ exists: true, orderId, transactionId },
      ...(settled.refusal && { refusal: settled.refusal }),
      ...(settled.browser && { browser: seal(sealKeys, JSON.stringify(settled.browser)) }),
    }
  },
  foresee: ({ orderId, transactionId }) => ({ exists: true, orderId, transactionId }),
}

/** Asks a gateway. */
export function ask(gateway: Gateway, question: Question, via: GatewayCall): Promise<Outcome> {
  switch (question.verb) {
    case 'pay':
      return question.charge.method.startsWith('authorize')
        ? gateway.authorize(question.charge, via)
        : gateway.purchase(question.charge, via)
    case 'refund':
      return gateway.refund(question.receipt, question.refundedAmount, via)
    case 'capture':
      return gateway.capture(question.receipt, via)
    case 'cancel':
      if (!gateway.cancel) throw new Error('the gateway has no such call')
      return gateway.cancel(question.receipt, via, question.reason)
    case 'read':
      return readPayment(gateway, question.receipt, { isForm: question.isForm === true, ageMs: 0 })
  }
}
