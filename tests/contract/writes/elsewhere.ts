import { filledCart, guestBody } from '../../builders/orders/buying.ts'
import { orderOf } from '../../builders/payments/paying.ts'
import { cards, charged, takeStripePayments } from '../../builders/payments/stripe-shop.ts'
import { type Fault, openCarrier } from '../../support/carrier.ts'
import type { Client } from '../../support/client.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { carrier as workshopCarrier } from '../../workshop/ship-crate.ts'

/** A server elsewhere that an operation calls, as a double that can fail. */
export interface Elsewhere {
  /** How many effects its calls have had. */
  effects(): number
  /** How many requests have arrived. */
  requests(): number
  /** How it can fail, until `recover`. */
  readonly faults: readonly Fault[]
  fail(fault: Fault): void
  recover(): void
  /** Called when a request arrives, before its effect. */
  onRequest(run: () => Promise<void>): void
  close(): Promise<void>
}

/** An operation that calls out, for one test. */
export interface Calling {
  /** A request that succeeds. */
  readonly path: string
  readonly body: unknown
  readonly elsewhere: Elsewhere
}

/** How the operation behaves, beyond the law. */
export interface CallingKind {
  /** The effects of one call. */
  readonly effects: 0 | 1
  /** Whether the same request succeeds twice without a key. */
  readonly isRepeatable: boolean
  /** The status for an object that does not exist, if that is not 404. */
  readonly unknown?: 400
  open(admin: Client, stripe: StripeDouble): Promise<Calling>
}

async function openCarrierElsewhere(): Promise<Elsewhere> {
  const carrier = await openCarrier()
  workshopCarrier.url = carrier.url
  return {
    effects: () => carrier.effects.length,
    requests: () => [...carrier.requests.values()].reduce((sum, n) => sum + n, 0),
    faults: ['fail before', 'fail after', 'hang before', 'hang after'],
    fail: (fault) => void carrier.faults.push(fault),
    recover: () => carrier.letGo(),
    onRequest: (run) => {
      carrier.onRequest = run
    },
    async close() {
      workshopCarrier.url = ''
      await carrier.close()
    },
  }
}

/** Stripe, after what the test has prepared with it. */
function stripeElsewhere(double: StripeDouble): Elsewhere {
  const [effects, requests] = [double.effects.length, double.calls.length]
  return {
    effects: () => double.effects.length - effects,
    requests: () => double.calls.length - requests,
    faults: ['fail before', 'fail after'],
    fail: (fault) => {
      double.isAway = fault === 'fail before' ? 'before' : 'after'
    },
    recover: () => {
      double.isAway = undefined
    },
    onRequest: (run) => {
      double.onRequest = run
    },
    async close() {
      double.isAway = undefined
      double.onRequest = () => {}
    },
  }
}

/** A verb on a payment with Stripe that began by this method. */
const verb = (name: string, method: string, body: object = {}): CallingKind => ({
  effects: name === 'confirm' ? 0 : 1,
  isRepeatable: name === 'confirm',
  async open(admin, stripe) {
    await takeStripePayments(admin, stripe)
    const { id } = await orderOf(admin, 1000)
    const payment = name === 'confirm' ? cards.challenges : cards.pays
    const transaction = await charged(admin, id, { method, payment })
    const path = `/v2/orders/${id}/transactions/${transaction.id}/${name}`
    return { path, body: { data: body }, elsewhere: stripeElsewhere(stripe) }
  },
})

/** A cart whose payment has begun. */
async function cartWithIntent(admin: Client, stripe: StripeDouble) {
  await takeStripePayments(admin, stripe)
  const path = await filledCart(admin)
  const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const { body } = await admin.post(`${path}/payments`, { data })
  return { path, id: body.data.payment_intent_id as string }
}

/** Each operation that calls out. */
export const callingKinds: Readonly<Record<string, CallingKind>> = {
  'ship-crate': {
    ...{ effects: 1, isRepeatable: true },
    async open(admin) {
      const { body } = await admin.post('/v2/crates', { data: { type: 'crate', id: `crate-${Date.now()}` } })
      return {
        path: `/v2/crates/${body.data.id}/shipments`,
        body: { data: { type: 'shipment', note: 'x' } },
        elsewhere: await openCarrierElsewhere(),
      }
    },
  },
  'pay-order': {
    ...{ effects: 1, isRepeatable: true },
    async open(admin, stripe) {
      await takeStripePayments(admin, stripe)
      const { id } = await orderOf(admin, 1000)
      const data = { gateway: 'stripe_payment_intents', method: 'purchase', payment: cards.pays, amount: 1 }
      return { path: `/v2/orders/${id}/payments`, body: { data }, elsewhere: stripeElsewhere(stripe) }
    },
  },
  // An unknown cart is an empty one, and two requests about the intent of a cart do not overlap.
  'create-cart-payment': {
    ...{ effects: 0, isRepeatable: false, unknown: 400 },
    async open(admin, stripe) {
      await takeStripePayments(admin, stripe)
      const data = { gateway: 'stripe_payment_intents', method: 'purchase' }
      return {
        path: `${await filledCart(admin)}/payments`,
        ...{ body: { data }, elsewhere: stripeElsewhere(stripe) },
      }
    },
  },
  'update-cart-payment': {
    ...{ effects: 0, isRepeatable: false },
    async open(admin, stripe) {
      const { path, id } = await cartWithIntent(admin, stripe)
      return { path: `${path}/payments/${id}`, body: { data: {} }, elsewhere: stripeElsewhere(stripe) }
    },
  },
  'confirm-order': {
    ...{ effects: 0, isRepeatable: true },
    async open(admin, stripe) {
      const { path, id } = await cartWithIntent(admin, stripe)
      const { body } = await admin.post(`${path}/checkout`, guestBody())
      stripe.payInBrowser(id)
      const order = `/v2/orders/${body.data.id}`
      return { path: `${order}/confirm`, body: { data: {} }, elsewhere: stripeElsewhere(stripe) }
    },
  },
  'confirm-transaction': verb('confirm', 'purchase'),
  'capture-transaction': verb('capture', 'authorize'),
  'refund-transaction': verb('refund', 'purchase', { amount: 1 }),
  'cancel-transaction': verb('cancel', 'authorize'),
}
