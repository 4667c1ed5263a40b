import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, StripeDouble } from '../stripe-double/index.ts'
import type { Sender } from './sender.ts'
import { type Shop, webhookSecret } from './shop.ts'

/** How an order is paid: in turn. */
export const ways = ['manual', 'card', 'challenged card', 'intent of the cart'] as const
export type Way = (typeof ways)[number]

const address = {
  ...{ first_name: 'Ada', last_name: 'Byron', line_1: '12 Mill Lane', city: 'Ely', county: 'Cambridgeshire' },
  ...{ postcode: 'CB7 4AA', country: 'GB' },
}
const buyer = { customer: { name: 'Ada Byron', email: 'ada@example.com' }, billing_address: address }

/** A shopper whose requests are all sent until they are answered, and all by two senders at once. */
export async function buy(
  sender: Sender,
  shop: Shop,
  double: StripeDouble,
  { cart, way }: { readonly cart: string; readonly way: Way },
): Promise<void> {
  const path = `/v2/carts/${cart}`
  await sender.once(201, 'POST', `${path}/items`, [
    { type: 'cart_item', id: shop.productId, quantity: 1 },
    { type: 'promotion_item', code: shop.code },
  ])
  if (way === 'intent of the cart') return payInBrowser(sender, shop, double, path)
  const order = await checkout(sender, path)
  await pay(sender, order, way)
  if (way === 'challenged card') await answerChallenge(sender, shop, double, order)
}

/** A retry, and a second tab, whose order has a number. All of them must lead to one order. */
async function checkout(sender: Sender, path: string): Promise<string> {
  const bodies = [buyer, buyer, { ...buyer, order_number: 'tab-2' }]
  const replies = await Promise.all(bodies.map((data) => sender.send('POST', `${path}/checkout`, data)))
  const ids = replies.map(({ status, body }) => {
    const id = status === 201 ? body.data.id : body.errors[0].meta?.order_id
    if (id !== undefined && [201, 409].includes(status)) return id as string
    throw new Error(`checkout of ${path}: ${status} ${JSON.stringify(body)}`)
  })
  const [id = ''] = ids
  if (ids.some((other) => other !== id)) throw new Error(`checkout of ${path}: orders ${ids.join(', ')}`)
  return id
}

async function pay(sender: Sender, order: string, way: Way): Promise<void> {
  const card = way === 'card' ? 'pm_card_visa' : 'pm_card_threeDSecure2Required'
  const stripe = { gateway: 'stripe_payment_intents', method: 'purchase', payment: card }
  const data = way === 'manual' ? { gateway: 'manual', method: 'purchase' } : stripe
  const path = `/v2/orders/${order}/payments`
  const replies = await Promise.all([sender.send('POST', path, data), sender.send('POST', path, data)])
  for (const { status, body } of replies) {
    if (![200, 409].includes(status)) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  }
}

/** The payment begins with the cart. A webhook and two confirms then record it. */
async function payInBrowser(sender: Sender, shop: Shop, double: StripeDouble, path: string): Promise<void> {
  const begin = { gateway: 'stripe_payment_intents', method: 'purchase' }
  const { payment_intent_id: intent } = await sender.once(201, 'POST', `${path}/payments`, begin)
  const order = `/v2/orders/${await checkout(sender, path)}`
  double.payInBrowser(intent)
  const confirm = () => sender.send('POST', `${order}/confirm`, {})
  await Promise.all([tell(sender, shop, double, intent), confirm(), confirm()])
  while ((await sender.must(200, 'GET', order)).payment !== 'paid') await sleep(100)
}

/** Stripe sends a webhook. */
async function tell(sender: Sender, shop: Shop, double: StripeDouble, intent: string): Promise<void> {
  const { body, signature } = double.lastWebhook(intent, webhookSecret)
  const { status } = await sender.sendText('POST', shop.webhooks, body, { 'stripe-signature': signature })
  if (status !== 200) throw new Error(`a webhook: ${status}`)
}

/** The shopper's browser answers; a webhook and two requests ask how the payment stands. */
async function answerChallenge(
  sender: Sender,
  shop: Shop,
  double: StripeDouble,
  order: string,
): Promise<void> {
  const transactions = `/v2/orders/${order}/transactions`
  for (;;) {
    const [last] = (await sender.must(200, 'GET', transactions)).toReversed()
    const intent = double.intents.get(last?.reference)
    if (intent?.status === 'requires_action') {
      double.authenticate(last.reference, true)
      const confirm = () => sender.send('POST', `${transactions}/${last.id}/confirm`, { options: {} })
      await Promise.all([tell(sender, shop, double, last.reference), confirm(), confirm()])
    }
    if (last?.status === 'complete') return
    if (intent?.status === 'succeeded') await sender.send('POST', `${transactions}/${last.id}/confirm`, {})
    await sleep(100)
  }
}

/**
 * Faults of the network to Stripe and of Stripe, after which the state of an intent says what happened. A 500 for a new
 * intent is none of them: see docs/payments.md.
 */
export const faults: readonly Omit<Fault, 'times'>[] = [
  { at: 'create', is: 'response lost' },
  { at: 'create', is: 'request lost' },
  { at: 'confirm', is: 'response lost' },
  { at: 'confirm', is: 'request lost' },
  { at: 'confirm', is: 'error after' },
  { at: 'read', is: 'response lost' },
]
