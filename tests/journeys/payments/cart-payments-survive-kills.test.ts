import pg from 'pg'
import { expect, test } from 'vitest'
import { filledCart, guestBody, wrap } from '../../builders/orders/buying.ts'
import { moneyOf } from '../../builders/payments/paying.ts'
import { takeStripePayments, transactionsOf } from '../../builders/payments/stripe-shop.ts'
import type { Client } from '../../support/client.ts'
import { adminOf, newDirectory, serve, startHere } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { openCalls, useSurvivors, waitingStatements } from './killed-payments.ts'

/**
 * Kills a process at every step of the payments that begin with a cart: a cart has one intent at Stripe, an intent gets
 * its amount once, and an order records it once.
 */

const survivors = useSurvivors()

type Operation = 'create' | 'update' | 'confirm'

/** A moment at which a process waits: for a lock, or for a request at Stripe, before or after its effect. */
interface Moment {
  readonly of: Operation
  readonly is: 'errand' | 'request' | 'effect' | 'outcome'
  readonly at?: string
  /** What Stripe has carried out for the cart, once nothing is open any more and before anyone sends it again. */
  readonly carriedOut: readonly string[]
}

const moments: Readonly<Record<string, Moment>> = {
  'a new intent, before it is committed': { of: 'create', is: 'errand', carriedOut: [] },
  'a new intent, before Stripe knows it': {
    ...{ of: 'create', at: 'create', is: 'request', carriedOut: ['create'] },
  },
  'a new intent, after Stripe knows it': {
    ...{ of: 'create', at: 'create', is: 'effect', carriedOut: ['create'] },
  },
  'a new intent, before it is linked with its cart': {
    ...{ of: 'create', at: 'create', is: 'outcome', carriedOut: ['create'] },
  },
  'a new amount, before it is committed': { of: 'update', is: 'errand', carriedOut: ['create'] },
  'a new amount, before Stripe has it': {
    ...{ of: 'update', at: 'update', is: 'request', carriedOut: ['create', 'update'] },
  },
  'a new amount, after Stripe has it': {
    ...{ of: 'update', at: 'update', is: 'effect', carriedOut: ['create', 'update'] },
  },
  'a new amount, before the intent is read': {
    ...{ of: 'update', at: 'read', is: 'request', carriedOut: ['create', 'update'] },
  },
  'a new amount, after the intent was read': {
    ...{ of: 'update', at: 'read', is: 'effect', carriedOut: ['create', 'update'] },
  },
  'a confirm, before it is committed': { of: 'confirm', is: 'errand', carriedOut: ['create'] },
  'a confirm, before the intent is read': {
    ...{ of: 'confirm', at: 'read', is: 'request', carriedOut: ['create'] },
  },
  'a confirm, after the intent was read': {
    ...{ of: 'confirm', at: 'read', is: 'effect', carriedOut: ['create'] },
  },
  'a confirm, before it is recorded': {
    ...{ of: 'confirm', at: 'read', is: 'outcome', carriedOut: ['create'] },
  },
}

/** A cart whose request is under way when the process is killed. */
interface Case {
  readonly name: string
  readonly moment: Moment
  readonly cart: string
  readonly intent?: string
  readonly orderId?: string
}

const idOf = (cart: string): string => cart.split('/').at(-1) ?? ''

const begin = (admin: Client, cart: string) =>
  admin.post(`${cart}/payments`, { data: { gateway: 'stripe_payment_intents', method: 'purchase' } })

/** A cart, as far as its operation needs it. The shopper has paid what is confirmed. */
async function prepare(admin: Client, name: string, moment: Moment): Promise<Case> {
  const cart = await filledCart(admin)
  if (moment.of === 'create') return { name, moment, cart }
  const intent = (await begin(admin, cart)).body.data.payment_intent_id as string
  if (moment.of === 'update') {
    await admin.post(`${cart}/items`, { data: wrap({ sku: 'BOX', price: { amount: 500 } }) })
    return { name, moment, cart, intent }
  }
  const order = (await admin.post(`${cart}/checkout`, guestBody())).body.data
  survivors.stripe.payInBrowser(intent)
  return { name, moment, cart, intent, orderId: order.id }
}

function send(admin: Client, { moment, cart, intent, orderId }: Case) {
  if (moment.of === 'create') return begin(admin, cart)
  return moment.of === 'update'
    ? admin.put(`${cart}/payments/${intent}`, { data: {} })
    : admin.post(`/v2/orders/${orderId}/confirm`, { data: { options: {} } })
}

test('a killed process leaves one intent for a cart, one amount of it, and one record', async () => {
  const { stripe } = survivors
  const process = serve(newDirectory(), { ...survivors.settings, SUTLER_DATABASE_CONNECTIONS: '20' })
  const admin = await adminOf(await process.ready)
  await takeStripePayments(admin, stripe)
  const cases: Case[] = []
  for (const [name, moment] of Object.entries(moments)) cases.push(await prepare(admin, name, moment))
  const obstacle = new pg.Client(survivors.database.url)
  await obstacle.connect()
  const store = (await obstacle.query('SELECT id FROM stores')).rows[0].id
  await obstacle.query('BEGIN')
  const lock = ({ orderId, cart }: Case) =>
    orderId === undefined
      ? obstacle.query('SELECT FROM carts WHERE store_id = $1 AND reference = $2 FOR UPDATE', [
          store,
          idOf(cart),
        ])
      : obstacle.query('SELECT FROM orders WHERE store_id = $1 AND id = $2 FOR UPDATE', [store, orderId])
  const reached = new Set<string>()
  let isOver = false
  const wait = async (is: Moment['is'], call: string, owner: string) => {
    const found = cases.find(
      ({ cart, moment }) => idOf(cart) === owner && moment.is === is && moment.at === call,
    )
    if (isOver || !found) return
    if (is === 'outcome') await lock(found)
    reached.add(found.name)
    // The process does not live to see the response.
    if (is !== 'outcome') await new Promise((done) => process.exit.then(done))
  }
  stripe.onRequest = (call, owner) => wait('request', call, owner)
  stripe.onEffect = async (call, owner) => {
    await wait('outcome', call, owner)
    await wait('effect', call, owner)
  }
  const uncommitted = cases.filter(({ moment }) => moment.is === 'errand')
  for (const one of uncommitted) await lock(one)
  const unrecorded = cases.filter(({ moment }) => moment.is === 'outcome')
  const lost = cases.map((one) =>
    send(admin, one).then(
      ({ status }) => status,
      () => 'lost' as const,
    ),
  )
  await until(async () =>
    reached.size === cases.length - uncommitted.length &&
    (await waitingStatements(survivors)) === uncommitted.length + unrecorded.length
      ? true
      : undefined,
  )
  process.child.kill('SIGKILL')
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']))
  isOver = true
  await obstacle.end()
  const again = await adminOf((await startHere(survivors.settings)).url)
  await until(async () => ((await openCalls(survivors)) === 0 ? true : undefined), 60_000)
  for (const one of cases) {
    expect([one.name, stripe.carriedOutFor(idOf(one.cart))]).toEqual([one.name, one.moment.carriedOut])
    await checkAfterRetry(again, one)
  }
  expect((await again.get('/v2/open-payments')).body.data).toEqual([])
}, 120_000)

/** Sends the lost request once more, as a client does, and looks at what there is. */
async function checkAfterRetry(admin: Client, one: Case): Promise<void> {
  const { name, cart, orderId, moment } = one
  const reply = await send(admin, one)
  expect([name, reply.status]).toEqual([name, moment.of === 'create' ? 201 : 200])
  const intents = [...survivors.stripe.intents.values()].filter(
    ({ metadata }) => metadata.cart_id === idOf(cart),
  )
  expect([name, intents.length]).toEqual([name, 1])
  const [intent] = intents
  if (orderId === undefined) {
    const linked = (await admin.get(cart)).body.data.payment_intent_id
    expect([name, linked, intent?.amount]).toEqual([name, intent?.id, moment.of === 'create' ? 1000 : 1500])
    return
  }
  const recorded = (await transactionsOf(admin, orderId)).map((each) => [each.reference, each.status])
  expect([name, recorded]).toEqual([name, [[intent?.id, 'complete']]])
  expect([name, await moneyOf(admin, orderId)]).toEqual([name, ['paid', 'complete', 1000, 0, 0]])
}
