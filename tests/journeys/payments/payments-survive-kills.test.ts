import pg from 'pg'
import { expect, test } from 'vitest'
import { order, wrap } from '../../builders/orders/buying.ts'
import { act, moneyOf } from '../../builders/payments/paying.ts'
import { charge, charged, takeStripePayments } from '../../builders/payments/stripe-shop.ts'
import type { Client } from '../../support/client.ts'
import { adminOf, newDirectory, serve, startHere } from '../../support/process.ts'
import type { Any } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openCalls, useSurvivors, waitingStatements } from './killed-payments.ts'

/** Kills a process while it waits for Stripe at every step of payments: money moves once, and the orders know it. */

const survivors = useSurvivors()

/** A moment at which a process waits: for a request at Stripe, before or after its effect, or for the order's row. */
interface Moment {
  readonly at?: string
  readonly is: 'request' | 'effect' | 'errand' | 'outcome'
  /** The verb, or a payment. */
  readonly verb?: 'capture' | 'refund' | 'cancel'
  /** Payment and status of the order afterwards. */
  readonly ends: readonly [payment: string, status: string]
  /** What moves or holds money after the kill, or before it. */
  readonly effects: readonly string[]
}

const paid = ['paid', 'complete'] as const
const moments: Readonly<Record<string, Moment>> = {
  'before the errand is committed': { is: 'errand', ends: ['unpaid', 'incomplete'], effects: [] },
  'before Stripe knows it': { at: 'create', is: 'request', ends: paid, effects: ['confirm'] },
  'after Stripe knows it': { at: 'create', is: 'effect', ends: paid, effects: ['confirm'] },
  'before the card is charged': { at: 'confirm', is: 'request', ends: paid, effects: ['confirm'] },
  'after the card was charged': { at: 'confirm', is: 'effect', ends: paid, effects: ['confirm'] },
  'before the payment is read': { at: 'read', is: 'request', ends: paid, effects: ['confirm'] },
  'before the outcome is recorded': { at: 'read', is: 'outcome', ends: paid, effects: ['confirm'] },
  'before a capture': {
    ...{ at: 'capture', is: 'request', verb: 'capture', ends: paid, effects: ['confirm', 'capture'] },
  },
  'after a capture': {
    ...{ at: 'capture', is: 'effect', verb: 'capture', ends: paid, effects: ['confirm', 'capture'] },
  },
  'before a refund': {
    ...{ at: 'refund', is: 'request', verb: 'refund', ends: paid, effects: ['confirm', 'refund'] },
  },
  'after a refund': {
    ...{ at: 'refund', is: 'effect', verb: 'refund', ends: paid, effects: ['confirm', 'refund'] },
  },
  'before a cancellation': {
    ...{ at: 'cancel', is: 'request', verb: 'cancel' },
    ...{ ends: ['unpaid', 'incomplete'], effects: ['confirm', 'cancel'] },
  },
  'after a cancellation': {
    ...{ at: 'cancel', is: 'effect', verb: 'cancel' },
    ...{ ends: ['unpaid', 'incomplete'], effects: ['confirm', 'cancel'] },
  },
}

/** Sends the request of a moment; its response is lost with the process. */
async function begin(admin: Client, { verb }: Moment, { id, held }: { id: string; held?: Any }) {
  const data = verb === 'refund' ? { amount: 250 } : undefined
  const sent = verb ? act(admin, held, verb, data) : charge(admin, id)
  return sent.then(
    ({ status }) => status,
    () => 'lost' as const,
  )
}

test('a killed process leaves no payment open, and none twice', async () => {
  const { stripe } = survivors
  const process = serve(newDirectory(), { ...survivors.settings, SUTLER_DATABASE_CONNECTIONS: '20' })
  const admin = await adminOf(await process.ready)
  await takeStripePayments(admin, stripe)
  const cases = await Promise.all(
    Object.entries(moments).map(async ([name, moment]) => {
      const { id } = await order(admin, wrap())
      const method = moment.verb === 'refund' ? 'purchase' : 'authorize'
      const held = moment.verb && (await charged(admin, id, { method }))
      return { name, moment, id: id as string, held }
    }),
  )
  const obstacle = new pg.Client(survivors.database.url)
  await obstacle.connect()
  const store = (await obstacle.query('SELECT id FROM stores')).rows[0].id
  await obstacle.query('BEGIN')
  const locked = (id: string) =>
    obstacle.query('SELECT FROM orders WHERE store_id = $1 AND id = $2 FOR UPDATE', [store, id])
  const reached = new Set<string>()
  let isOver = false
  const wait = async (is: Moment['is'], call: string, orderId: string) => {
    const found = cases.find(({ id, moment }) => id === orderId && moment.is === is && moment.at === call)
    if (isOver || !found) return
    if (is === 'outcome') await locked(orderId)
    reached.add(found.name)
    // The process does not live to see the response.
    if (is !== 'outcome') await new Promise((done) => process.exit.then(done))
  }
  stripe.onRequest = (call, orderId) => wait('request', call, orderId)
  stripe.onEffect = async (call, orderId) => {
    await wait('outcome', call, orderId)
    await wait('effect', call, orderId)
  }
  const uncommitted = cases.find(({ moment }) => moment.is === 'errand')
  await locked(uncommitted?.id ?? '')
  const lost = cases.map((one) => begin(admin, one.moment, one))
  await until(async () =>
    reached.size === cases.length - 1 && (await waitingStatements(survivors)) === 2 ? true : undefined,
  )
  process.child.kill('SIGKILL')
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']))
  isOver = true
  const killedAt = performance.now()
  await obstacle.end()
  const second = await startHere(survivors.settings)
  const again = await adminOf(second.url)
  await until(async () => ((await openCalls(survivors)) === 0 ? true : undefined), 60_000)
  // The leases of the dead process would last for 35 seconds.
  expect(performance.now() - killedAt).toBeLessThan(30_000)
  for (const { name, id, moment } of cases) {
    const effects = stripe.effectsOf(id)
    expect([name, (await moneyOf(again, id)).slice(0, 2), effects]).toEqual([
      name,
      moment.ends,
      moment.effects,
    ])
  }
  expect((await again.get('/v2/open-payments')).body.data).toEqual([])
}, 120_000)
