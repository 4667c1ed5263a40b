import { type CartRow, carts, findCart, linkPaymentIntent } from '../carts/index.ts'
import { accessOf, type GatewayAccess, type GatewaySlug } from '../gateways/index.ts'
import { openOr, seal } from '../kernel/auth/seal.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { problemAnswer } from '../kernel/http/problems.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { Ctx, Work } from '../kernel/work/context.ts'
import type { OutsideCall } from '../kernel/work/outside-calls.ts'
import type { Charge, Gateway, Outcome } from '../payments/index.ts'
import { ask, openGateway } from '../transactions/index.ts'

/** What a gateway is asked about the intent of a cart. */
export interface IntentRequest {
  readonly gateway: GatewaySlug
  readonly cartId: string
  /** The id that clients use. */
  readonly cartName: string
  readonly charge: Charge
  /** The intent whose amount changes. A new one is created without it. */
  readonly intentId?: string
  /** The new intent, after a crash. */
  readonly createdId?: string
}

interface Settled {
  readonly cartName: string
  readonly exists: boolean
  readonly refusal?: Outcome['failure']
  /** What the shopper's browser needs, sealed. */
  readonly browser?: string
}

/** As long as a payment: a new intent is one request, and another after a fault. */
const callMaxMs = 30_000

/** Creates the payment intent of a cart, or gives it the amount that the cart costs now. No money moves. */
export const intentCall: OutsideCall<IntentRequest, Outcome, Settled, GatewayAccess> = {
  name: 'cart-payments:intent',
  timeoutMs: callMaxMs,
  subject: ({ cartId }) => cartId,
  access: (work, { gateway }) => accessOf(work, gateway),
  send: ({ id, values }, { keep, services }, access) =>
    askFor(openGateway(access, services), values, id, (createdId) => keep({ ...values, createdId })),
  async record(work: Work, { values }, outcome) {
    const { cartId, cartName, gateway, intentId } = values
    const { reference, browser } = outcome
    const refusal = refusalIn(outcome)
    const row =
      intentId === undefined && reference !== undefined && !refusal
        ? await linkPaymentIntent(work, cartId, reference, gateway)
        : await work.store.find(carts, cartId)
    return {
      ...{ cartName, exists: row !== undefined },
      ...(refusal && { refusal }),
      ...(browser && { browser: seal(work.instance.sealKeys, JSON.stringify(browser)) }),
    }
  },
}

function askFor(
  gateway: Gateway,
  { charge, intentId, createdId }: IntentRequest,
  key: string,
  keep: (id: string) => Promise<void>,
): Promise<Outcome> {
  if (intentId === undefined) {
    return ask(gateway, { verb: 'pay', charge }, { key, reference: createdId, keep })
  }
  if (!gateway.reprice) throw new Error('the gateway has no payment intents')
  return gateway.reprice(intentId, charge, { key })
}

/** Why the cart cannot be paid with the intent. One that is paid or cancelled keeps its amount. */
function refusalIn({ failure, reports: [report] }: Outcome): Outcome['failure'] {
  if (failure || !report) return failure
  const reason = `The payment intent is ${report.is}. Check the cart out and confirm the order, or remove payment_intent_id from the cart.`
  return { code: 'payment_intent_unexpected_state', reason }
}

/** Responds with the cart, and what the browser needs to pay its intent. */
export const respondWith =
  (status: 200 | 201) =>
  async (ctx: Ctx, { cartName, exists, refusal, browser }: Settled): Promise<Answer> => {
    if (!exists) return problemAnswer(notFound('cart', cartName), ctx.requestId)
    if (refusal) {
      const { code, reason } = refusal
      const title = 'Payment gateway processing failed'
      return problemAnswer(
        new Problem('bad_request', reason, { title, meta: { error: code } }),
        ctx.requestId,
      )
    }
    const row: CartRow = await findCart(ctx, cartName)
    const opened = browser === undefined ? undefined : openOr(ctx.instance.sealKeys, browser)
    const meta = opened === undefined ? '' : `,"meta":${JSON.stringify(metaOf(JSON.parse(opened)))}`
    return objectAnswer(status, carts, row, ctx, meta)
  }

/** As the public contract nests it. */
const metaOf = ({ token, secret, status }: NonNullable<Outcome['browser']>) => ({
  payment_intent: { payment_intent: { id: token, client_secret: secret, status } },
})
