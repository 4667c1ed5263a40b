import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { json } from '../../kernel/shape/answer.ts'
import { describe, text } from '../../kernel/shape/fields.ts'
import { about, optional, shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { secretsNamed } from '../gateways/gateway-access.ts'
import { type HeardWebhook, readWebhook } from '../stripe/read-webhook.ts'
import { transactions } from '../transactions/transactions.ts'
import { stripeGateways } from './find-gateway.ts'
import { followCartPaymentNow } from './follow-cart-payment.ts'
import { followNow } from './follow-payment.ts'

const word = optional(shown.text)
const event = about(
  'An event of Stripe, as Stripe documents it. These are the members that are read.',
  shown.group({
    type: word,
    data: optional(shown.group({ object: shown.group({ object: word, id: word, payment_intent: word }) })),
  }),
)

/** The address that the webhooks of a merchant's Stripe account go to. */
export const hearStripe = action({
  name: 'hear-stripe',
  route: 'POST /webhooks/stripe/stores/:store_id',
  about:
    'Takes the webhooks of Stripe, signed with the `webhook_secret` of a gateway. A webhook about a payment makes the server read that payment at Stripe. Everything else is accepted and changes nothing.',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  headers: { 'Stripe-Signature': text({ required: true, about: 'The time and the signature of Stripe.' }) },
  rawBody: true,
  rawBodies: { 'application/json': describe(event) },
  cannotRehearse: 'It is the webhook of another server.',
  refuses: ['bad_request'],
  shows: {
    body: shown.as({ type: 'object', properties: { received: { type: 'boolean' } }, required: ['received'] }),
  },
  async run(ctx, { headers, rawBody }) {
    const heard = await hear(ctx, String(rawBody ?? ''), String(headers['stripe-signature'] ?? ''))
    if (!heard) {
      const detail =
        'Stripe-Signature is not a signature of this body, of the last five minutes, with a webhook_secret of the store.'
      throw new Problem('bad_request', detail, { source: 'Stripe-Signature' })
    }
    if (heard.intent !== undefined) await readPayment(ctx, heard.intent)
    return json(200, { received: true })
  },
})

/** The webhook, if it is signed with a secret of the store. */
async function hear(ctx: Ctx, body: string, signature: string): Promise<HeardWebhook | undefined> {
  // Anyone can send one. Without a signature it costs no statement.
  if (!signature.includes('v1=')) return undefined
  for (const secret of await secretsNamed(ctx, stripeGateways, 'webhook_secret')) {
    const heard = await readWebhook(body, signature, secret, ctx.clock.now())
    if (heard) return heard
  }
  return undefined
}

async function readPayment(ctx: Ctx, intent: string): Promise<void> {
  const [found] = await ctx.store.run(
    `SELECT id, order_id FROM order_transactions
     WHERE store_id = $1 AND doc->>'reference' = $2 AND doc->>'gateway' <> 'manual' AND doc->>'reference' IS NOT NULL`,
    intent,
  )
  const row = found && (await ctx.store.findWhole(transactions, found[0] as string, [found[1] as string]))
  await (row ? followNow(ctx, row) : followCartPaymentNow(ctx, intent))
}
