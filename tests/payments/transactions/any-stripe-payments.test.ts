import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paymentOf, type Transaction } from '../../../server/orders/index.ts'
import { act, moneyOf, orderOf, pay, takeManualPayments } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import { tries } from '../../support/long.ts'
import type { Any } from '../../support/requests.ts'
import type { Fault, StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'
import { mustBeWhatEventsSay } from './events-of-payments.ts'

const secret = 'whsec_of the random payments'

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop({ LOG_LEVEL: 'silent' })
  world = shop.world
  double = shop.double
  await takeManualPayments(world.admin)
  await world.admin.put('/v2/gateways/stripe_payment_intents', { data: { webhook_secret: secret } })
})
afterAll(() => shop.close())

/** What a client, a shopper in a browser, the merchant at Stripe or the network does to a transaction, by `which`. */
type Step =
  | {
      readonly is: 'pay'
      readonly method: string
      readonly card: string
      readonly amount: number | undefined
    }
  | { readonly is: 'pay by hand'; readonly amount: number | undefined }
  | { readonly is: 'confirm' | 'capture' | 'cancel' | 'webhooks'; readonly which: number }
  | { readonly is: 'refund'; readonly which: number; readonly amount: number | undefined }
  | { readonly is: 'answer'; readonly which: number; readonly isRight: boolean }
  | { readonly is: 'capture at Stripe'; readonly which: number; readonly part: number }
  | { readonly is: 'refund at Stripe'; readonly which: number; readonly part: number }
  | { readonly is: 'hold ends'; readonly which: number }
  | { readonly is: 'cancel order' }
  | { readonly is: 'fault'; readonly fault: Fault }

const which = fc.nat(3)
const amount = fc.option(fc.integer({ min: 1, max: 700 }), { nil: undefined, freq: 3 })
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('pay'),
      method: fc.constantFrom('purchase', 'purchase', 'authorize', 'authorize', 'purchase_setup'),
      card: fc.constantFrom(...Object.values(cards)),
      amount,
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('pay by hand'), amount }) },
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constantFrom('confirm', 'capture', 'cancel', 'webhooks'), which }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('refund'), which, amount }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('answer'), which, isRight: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constantFrom('capture at Stripe', 'refund at Stripe'),
      which,
      part: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('hold ends'), which }) },
  { weight: 1, arbitrary: fc.constant({ is: 'cancel order' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('fault'),
      fault: fc.record({
        at: fc.constantFrom('create', 'confirm', 'capture', 'cancel', 'refund', 'read'),
        is: fc.constantFrom('response lost', 'request lost', 'error after', 'error before'),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    }),
  },
) as fc.Arbitrary<Step>

/** Takes a step; whatever it is answered, it is no error of the server. */
async function take(id: string, one: Step): Promise<void> {
  if (one.is === 'fault') return void double.faults.push({ ...one.fault })
  if (one.is === 'webhooks') {
    const headers = (signature: string) => ({ headers: { 'stripe-signature': signature } })
    for (const { body, signature } of double.webhooks(secret).slice(-3)) {
      await world.nobody.send('POST', `/webhooks/stripe/stores/${world.storeId}`, {
        ...{ body, ...headers(signature) },
      })
    }
    return
  }
  const { status } = await ask(id, one)
  expect([200, 400, 409, 422, 503]).toContain(status)
}

async function ask(
  id: string,
  one: Exclude<Step, { is: 'fault' | 'webhooks' }>,
): Promise<{ status: number }> {
  if (one.is === 'pay')
    return charge(world.shopper, id, { method: one.method, payment: one.card, amount: one.amount })
  if (one.is === 'pay by hand') return pay(world.shopper, id, { amount: one.amount })
  if (one.is === 'cancel order') {
    return world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  }
  const all = await transactionsOf(world.admin, id)
  const transaction = all[one.which % Math.max(1, all.length)]
  if (!transaction) return { status: 200 }
  const intent = double.intents.get(transaction.reference)
  if (one.is === 'answer') {
    if (intent?.status === 'requires_action') double.authenticate(intent.id, one.isRight)
  } else if (one.is === 'capture at Stripe') {
    if (intent?.status === 'requires_capture')
      double.captureInDashboard(intent.id, Math.min(one.part, intent.amount))
  } else if (one.is === 'refund at Stripe') {
    if (intent && intent.amount_received - intent.refunded >= one.part)
      double.refundInDashboard(intent.id, one.part)
  } else if (one.is === 'hold ends') {
    if (intent?.status === 'requires_capture') double.expireHold(intent.id)
  } else return act(world.admin, transaction, one.is, one.is === 'refund' ? { amount: one.amount } : {})
  return { status: 200 }
}

const asRule = (one: Any): Transaction => ({
  ...{ type: one.transaction_type, status: one.status },
  ...{ amount: one.amount, refundedAmount: one.refunded_amount },
})

/** The order says what its transactions have come to, and they say what their events have. */
async function mustAgree(id: string): Promise<void> {
  // In one statement: jobs may settle meanwhile.
  const { rows } = await world.sql(
    `SELECT o.payment, o.status, o.paid, o.authorized, o.pending, array(
       SELECT t.doc FROM order_transactions t WHERE t.store_id = $2 AND t.order_id = o.id ORDER BY t.id) AS docs
     FROM orders o WHERE o.store_id = $2 AND o.id = $1`,
    [id, world.storeId],
  )
  const [{ payment, status, paid, authorized, pending, docs }] = rows
  const says = paymentOf(1000, docs.map(asRule))
  expect([payment, Number(paid), Number(authorized), Number(pending)]).toEqual([
    ...[says.payment, says.paid, says.authorized, says.pending],
  ])
  if (status !== 'cancelled') expect(status).toBe(says.status)
  await mustBeWhatEventsSay(world, id)
}

/** The transaction says what Stripe says, and nothing has happened twice. */
function mustBeTrue(one: Any): void {
  const intent = double.intents.get(one.reference)
  if (one.gateway === 'manual' || !intent) return
  const { status, amount_received: received, refunded } = intent
  const isPaid = ['purchase', 'capture', 'refund'].includes(one.transaction_type) && one.status === 'complete'
  expect([one.id, status, isPaid ? one.amount : 0]).toEqual([one.id, status, received])
  const isHeld = one.transaction_type === 'authorize' && one.status === 'complete'
  expect([isHeld, one.status === 'pending']).toEqual([
    status === 'requires_capture',
    ['requires_action', 'requires_payment_method', 'requires_confirmation'].includes(status),
  ])
  // The merchant may have marked it as refunded.
  if (one.refund_mechanism === 'manual') expect(refunded).toBeLessThanOrEqual(one.refunded_amount)
  else expect(refunded).toBe(one.refunded_amount)
}

test(
  'whatever happens in whatever order, orders say what Stripe says',
  async () => {
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        double.faults = []
        double.forgetEvents()
        const { id } = await orderOf(world.shopper, 1000)
        for (const steps of all) {
          await Promise.all(steps.map((one) => take(id, one)))
          await mustAgree(id)
        }
        double.faults = []
        // A day later Stripe has forgotten its faults.
        double.forgetKeys()
        await until(async () => ((await openCalls()) === 0 ? true : undefined), 60_000)
        for (const one of await transactionsOf(world.admin, id)) await act(world.admin, one, 'confirm')
        await mustAgree(id)
        for (const one of await transactionsOf(world.admin, id)) mustBeTrue(one)
        const effects = double.effectsOf(id).filter((one) => one === 'confirm').length
        expect(effects).toBeLessThanOrEqual((await transactionsOf(world.admin, id)).length)
        const [, , paid = 0, authorized = 0, owing = 0] = (await moneyOf(world.admin, id)) as number[]
        expect(paid + authorized + owing).toBeLessThanOrEqual(1000)
      }),
      { numRuns: tries(8, 200), endOnFailure: true },
    )
  },
  tries(180_000, 3_600_000),
)

const openCalls = async (): Promise<number> =>
  (await world.sql('SELECT count(*)::int AS n FROM errands WHERE ended_at IS NULL')).rows[0].n
