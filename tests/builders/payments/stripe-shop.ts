import assert from 'node:assert/strict'
import type { Client, Reply } from '../../support/client.ts'
import type { Any } from '../../support/requests.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { openWorld, type World } from '../../support/world.ts'
import { pay } from './paying.ts'

/** Ways of paying that the double knows. */
export const cards = {
  pays: 'pm_card_visa',
  declines: 'pm_card_chargeDeclined',
  challenges: 'pm_card_threeDSecure2Required',
} as const

export interface StripeShop {
  readonly world: World
  readonly double: StripeDouble
  close(): Promise<void>
}

/** A server whose Stripe is a double, and a store that takes payments with it. */
export async function openStripeShop(env: Record<string, string> = {}): Promise<StripeShop> {
  const double = await StripeDouble.open()
  const world = await openWorld({ alone: true, env: { SUTLER_STRIPE_URL: double.url, ...env } })
  await takeStripePayments(world.admin, double)
  return {
    world,
    double,
    async close() {
      await world.close()
      await double.close()
    },
  }
}

/** Enables the gateways of the store that use payment intents. */
export async function takeStripePayments(admin: Client, { key }: StripeDouble): Promise<void> {
  for (const slug of ['stripe_payment_intents', 'stripe']) {
    const { status } = await admin.put(`/v2/gateways/${slug}`, { data: { enabled: true, login: key } })
    assert.equal(status, 200)
  }
}

/** A payment with Stripe. */
export const charge = (client: Client, orderId: string, data: object = {}): Promise<Reply> =>
  pay(client, orderId, { gateway: 'stripe_payment_intents', payment: cards.pays, ...data })

/** A payment with Stripe that is not refused. */
export async function charged(client: Client, orderId: string, data: object = {}): Promise<Any> {
  const { status, body } = await charge(client, orderId, data)
  assert.deepEqual([status, body.errors], [200, undefined])
  return body.data
}

/** The transactions of an order as the merchant reads them. */
export const transactionsOf = async (admin: Client, orderId: string): Promise<Any[]> =>
  (await admin.get(`/v2/orders/${orderId}/transactions`)).body.data
