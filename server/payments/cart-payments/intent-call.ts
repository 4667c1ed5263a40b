import { type Cart, carts, findCart } from '../../carts/index.ts'
import { seal, tryOpen } from '../../kernel/auth/seal.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { problemAnswer } from '../../kernel/http/problems.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { changeThings } from '../../kernel/thing/change-thing.ts'
import type { Ctx, Work } from '../../kernel/work/context.ts'
import type { OutsideCall } from '../../kernel/work/outside-calls.ts'
import type { PaymentMethod } from '../../orders/index.ts'
import { accessOf, type GatewayAccess } from '../gateways/gateway-access.ts'
import type { GatewaySlug } from '../gateways/gateway-kinds.ts'
import { insertCartPayment, repriceCartPayment } from '../payment-calls/cart-payments.ts'
import { openGateway } from '../payment-calls/find-gateway.ts'
import { followPaymentOfCart } from '../payment-calls/follow-cart-payment.ts'
import { ask } from '../payment-calls/gateway-call.ts'
import { refusedByGateway } from '../payment-calls/respond.ts'
import type { Charge, Gateway, Outcome } from '../rules/gateway.ts'
import type { Reason } from '../rules/reason.ts'
import { type CartMoment, findOrderSince } from './find-order-since.ts'

/** What a gateway is asked about the intent of a cart. */
export interface IntentRequest extends CartMoment {
  readonly gateway: GatewaySlug
  /** The id that clients use. */
  readonly cartName: string
  readonly charge: Charge
  /** The intent whose amount changes. A new one is created without it. */
  readonly intentId?: string
  /** The new intent, after a crash. */
  readonly createdId?: string
}

/** What became of the intent, for the response. */
interface SettledIntent {
  readonly cartName: string
  readonly exists: boolean
  readonly refusal?: Reason | undefined
  /** The order that the cart has become meanwhile, without the intent. */
  readonly orderId?: string
  /** What the shopper's browser needs, sealed. */
  readonly browser?: string
}

/** As long as a payment: a new intent is one request, and another after a fault. */
const callMaxMs = 30_000

/** Creates the payment intent of a cart, or gives it the amount that the cart costs now. No money moves. */
export const intentCall: OutsideCall<IntentRequest, Outcome, SettledIntent, GatewayAccess> = {
  name: 'cart-payments:intent',
  timeoutMs: callMaxMs,
  subject: ({ cartId }) => cartId,
  peer: ({ gateway }) => gateway,
  access: (work, { gateway }) => accessOf(work, gateway),
  send: ({ id, values }, { keep, services }, access) =>
    askFor(openGateway(access, services), values, id, (createdId) => keep({ ...values, createdId })),
  async record(work: Work, { values }, outcome) {
    const { cartId, cartName, gateway, charge, intentId } = values
    const { reference, browser } = outcome
    const refusal = refusalIn(outcome)
    if (intentId !== undefined || reference === undefined || refusal) {
      const exists = (await work.store.find(carts, cartId)) !== undefined
      if (intentId !== undefined && !refusal) {
        await repriceCartPayment(work, intentId, charge)
        await followPaymentOfCart(work, intentId, gateway)
      }
      return { cartName, exists, ...(refusal && { refusal }), ...sealed(work, browser) }
    }
    const linked = await linkIntent(work, values, reference)
    if (linked.orderId !== undefined) return { cartName, ...linked }
    const method = receivedAs(charge.method)
    const { amount, currency } = charge
    await insertCartPayment(work, { reference, gateway, method, cartId, cart: cartName, amount, currency })
    await followPaymentOfCart(work, reference, gateway)
    return { cartName, ...linked, ...sealed(work, browser) }
  },
  foresee: ({ cartName }) => ({ cartName, exists: true }),
}

/**
 * Links a cart with its new intent, unless it has become an order meanwhile: an intent that the order does not know
 * would be paid beside it, and nobody learns the secret of this one.
 */
async function linkIntent(
  work: Work,
  request: IntentRequest,
  intent: string,
): Promise<Pick<SettledIntent, 'exists' | 'orderId'>> {
  const values = { payment_intent_id: intent, links_payment: true }
  const moment: { orderId?: string } = {}
  const changed = await changeThings(work, carts, [request.cartId], async (found) => {
    const orderId = await findOrderSince(work, request)
    if (orderId !== undefined) moment.orderId = orderId
    return found.map(({ doc }) =>
      orderId !== undefined || doc.payment_intent_id === intent ? undefined : { values },
    )
  })
  return moment.orderId === undefined ? { exists: changed.length > 0 } : { exists: true, ...moment }
}

/** Whether a payment is received at once or held. */
export const receivedAs = (method: PaymentMethod): 'purchase' | 'authorize' =>
  method.startsWith('authorize') ? 'authorize' : 'purchase'

const sealed = ({ instance }: Work, browser: Outcome['browser']): Pick<SettledIntent, 'browser'> =>
  browser ? { browser: seal(instance.sealKeys, JSON.stringify(browser)) } : {}

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
function refusalIn({ failure, refusal, reports: [report] }: Outcome): Reason | undefined {
  if (refusal || !report) return refusal
  if (report.is === 'failed' && failure) return failure
  const reason = `The payment intent is ${report.is}. Check the cart out and confirm the order, or remove payment_intent_id from the cart.`
  return { code: 'payment_intent_unexpected_state', reason }
}

/** Responds with the cart, and what the browser needs to pay its intent. */
export const respondWith =
  (status: 200 | 201) =>
  async (ctx: Ctx, { cartName, exists, refusal, orderId, browser }: SettledIntent): Promise<Answer> => {
    if (orderId !== undefined) return problemAnswer(orderedMeanwhile(orderId), ctx.requestId)
    if (!exists) return problemAnswer(notFound('cart', cartName), ctx.requestId)
    if (refusal) return problemAnswer(refusedByGateway(ctx, refusal), ctx.requestId)
    const row: Cart = await findCart(ctx, cartName)
    const opened = browser === undefined ? undefined : tryOpen(ctx.instance.sealKeys, browser)
    const meta = opened === undefined ? '' : `,"meta":${JSON.stringify(metaOf(JSON.parse(opened)))}`
    return objectAnswer(status, carts, row, ctx, meta)
  }

const orderedMeanwhile = (id: string): Problem =>
  new Problem(
    'conflict',
    `The cart became order ${id} while the payment intent was created. Pay the order with POST /v2/orders/${id}/payments.`,
    { meta: { order_id: id } },
  )

/** As the public contract nests it. */
const metaOf = ({ token, secret, status }: NonNullable<Outcome['browser']>) => ({
  payment_intent: { payment_intent: { id: token, client_secret: secret, status } },
})
