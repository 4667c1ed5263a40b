import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readNow } from '../../builders/payments/following.ts'
import { act, moneyOf, orderOf } from '../../builders/payments/paying.ts'
import {
  cards,
  charge,
  charged,
  openStripeShop,
  type StripeShop,
  transactionsOf,
} from '../../builders/payments/stripe-shop.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../support/world.ts'

/** A card that is declined in the browser: another one may pay. */

let shop: StripeShop
let world: World
let double: StripeDouble
beforeAll(async () => {
  shop = await openStripeShop()
  world = shop.world
  double = shop.double
})
afterAll(() => shop.close())

let id: string
beforeEach(async () => {
  id = (await orderOf(world.shopper, 1000)).id
})
const statuses = async () => (await transactionsOf(world.admin, id)).map(({ status }) => status)
const form = { method: 'purchase', payment: undefined }
const setup = { method: 'purchase_setup', payment: undefined }
const intentOf = (reference: string) => double.intents.get(reference)

async function failedChallenge() {
  const pending = await charged(world.shopper, id, { payment: cards.challenges })
  double.authenticate(pending.reference, false)
  return pending
}

test('a challenge that the shopper has failed is a failed payment', async () => {
  const pending = await failedChallenge()
  const { status, body } = await act(world.shopper, pending, 'confirm')
  expect([status, body.data.status, body.data.failure_details.code]).toEqual([
    ...[200, 'failed', 'payment_intent_authentication_failure'],
  ])
  expect(intentOf(pending.reference)?.status).toBe('canceled')
  expect(await moneyOf(world.admin, id)).toEqual(['unpaid', 'incomplete', 0, 0, 1000])
  expect((await charged(world.shopper, id)).status).toBe('complete')
})

test('another card may pay although nobody has confirmed the failed challenge', async () => {
  const pending = await failedChallenge()
  expect((await charged(world.shopper, id)).status).toBe('complete')
  expect([await statuses(), intentOf(pending.reference)?.status]).toEqual([
    ...[['failed', 'complete'], 'canceled'],
  ])
})

test('without a confirm, a job finds out that the challenge has failed', async () => {
  await failedChallenge()
  await until(async () => {
    await readNow(world)
    return (await statuses())[0] === 'failed' || undefined
  }, 20_000)
  expect((await moneyOf(world.admin, id))[4]).toBe(1000)
})

test('a challenge that is still open stands in the way of another card', async () => {
  await charged(world.shopper, id, { payment: cards.challenges })
  expect((await charge(world.shopper, id)).status).toBe(409)
  expect(await statuses()).toEqual(['pending'])
})

test.each([form, setup])('a form that is opened again has its intent again (%j)', async (data) => {
  const first = await charged(world.shopper, id, data)
  expect(await charged(world.shopper, id, data)).toEqual(first)
  expect(await charged(world.shopper, id, { ...data, amount: 1000 })).toEqual(first)
  expect(await statuses()).toEqual(['pending'])
  double.payInBrowser(first.reference)
  const paid = await charged(world.shopper, id, data)
  expect([paid.id, paid.status]).toEqual([first.id, 'complete'])
})

test('a form for another card never has the intent of the first', async () => {
  const first = await charged(world.shopper, id, { ...setup, payment: cards.pays })
  expect(await charged(world.shopper, id, { ...setup, payment: cards.pays })).toEqual(first)
  for (const payment of [cards.challenges, undefined]) {
    expect((await charge(world.shopper, id, { ...setup, payment })).status).toBe(409)
  }
})

test('a form of another amount is another payment', async () => {
  const part = await charged(world.shopper, id, { ...form, amount: 400 })
  const rest = await charged(world.shopper, id, form)
  expect([part.amount, rest.amount]).toEqual([400, 600])
  expect((await charged(world.shopper, id, { ...form, amount: 400 })).id).toBe(part.id)
  expect((await charged(world.shopper, id, form)).id).toBe(rest.id)
  expect((await charge(world.shopper, id, { ...form, amount: 500 })).status).toBe(409)
})

test('a form in which a card was declined takes another card', async () => {
  const pending = await charged(world.shopper, id, form)
  double.payInBrowser(pending.reference, cards.declines)
  await readNow(world)
  const again = await charged(world.shopper, id, form)
  expect([again.id, again.status, again.payment_intent.client_secret]).toEqual([
    ...[pending.id, 'pending', pending.payment_intent.client_secret],
  ])
  double.payInBrowser(pending.reference)
  expect((await act(world.shopper, pending, 'confirm')).body.data.status).toBe('complete')
})

test('a form in which a card was declined does not stand in the way of a card', async () => {
  const pending = await charged(world.shopper, id, setup)
  double.payInBrowser(pending.reference, cards.declines)
  expect((await charged(world.shopper, id)).status).toBe('complete')
  expect([await statuses(), intentOf(pending.reference)?.status]).toEqual([
    ...[['failed', 'complete'], 'canceled'],
  ])
})

test('a confirm of a form in which a card was declined ends it', async () => {
  const pending = await charged(world.shopper, id, form)
  double.payInBrowser(pending.reference, cards.declines)
  expect((await act(world.shopper, pending, 'confirm')).body.data).toMatchObject({
    status: 'failed',
    failure_details: { code: 'generic_decline' },
  })
  expect((await moneyOf(world.admin, id))[4]).toBe(1000)
})

test('a cancelled order gives nobody the secret of its form', async () => {
  const keyed = { ...form, options: { idempotency_key: 'one form' } }
  const pending = await charged(world.shopper, id, keyed)
  const { status } = await world.admin.put(`/v2/orders/${id}`, {
    data: { type: 'order', status: 'cancelled' },
  })
  expect(status).toBe(200)
  expect((await charge(world.shopper, id, form)).status).toBe(422)
  const answers = [await charge(world.shopper, id, keyed), await act(world.shopper, pending, 'confirm')]
  for (const { status, body } of answers) {
    expect([status, body.data.id, body.data.status]).toEqual([200, pending.id, 'pending'])
    expect(JSON.stringify(body)).not.toContain(pending.payment_intent.client_secret)
  }
})
