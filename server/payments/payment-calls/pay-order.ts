import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { choice, field, group, integer, list, text } from '../../kernel/shape/fields.ts'
import { afterCall } from '../../kernel/work/after-call.ts'
import { callOut, NoCall } from '../../kernel/work/outside-calls.ts'
import { paymentMethods } from '../../orders/index.ts'
import { gatewaySlugs } from '../gateways/gateway-kinds.ts'
import { transactions } from '../transactions/transactions.ts'
import { settlePending } from './follow-payment.ts'
import { gatewayCall } from './gateway-call.ts'
import { PendingPayments, preparePayment } from './prepare-payment.ts'
import { respond } from './respond.ts'

export const paymentFields = {
  gateway: choice(gatewaySlugs, {
    required: true,
    about: 'The gateway that takes the payment.',
    example: 'manual',
  }),
  method: choice(paymentMethods, {
    required: true,
    about: 'Whether the payment is received at once (`purchase`) or held until its capture (`authorize`).',
    example: 'purchase',
  }),
  amount: integer({
    about: 'The amount in the smallest unit of the currency. By default, all that is owed.',
  }),
  payment: text({ max: 4096, about: 'What the gateway calls the way of paying: a token or an id.' }),
  payment_method_types: list(text({ max: 64 }), {
    maxItems: 20,
    about:
      'For Stripe: the ways of paying that the shopper may choose from. Without a choice, what the merchant has set.',
  }),
  options: field<Readonly<Record<string, unknown>> | undefined>(
    { type: 'object', additionalProperties: true },
    {
      about:
        'Options of the gateway. For Stripe: `customer`, `receipt_email`, `return_url`, `automatic_payment_methods`, and `idempotency_key`: a repeated key gets the same transaction.',
    },
  ),
  paymentmethod_meta: group(
    {
      name: text({ max: 255, about: 'The name of the way of paying.', example: 'Gift card' }),
      custom_reference: text({ max: 255, about: 'A reference of your own.', example: 'GC-1021' }),
    },
    { about: 'For the manual gateway: what the payment was.' },
  ),
}

/** Pays an order, or a part of it. Everyone who knows the id of the order may do so. */
export const payOrder = action({
  name: 'pay-order',
  route: 'POST /v2/orders/:order_id/payments',
  about:
    'Pays all that is owed for an order, or a part of it. The first payment allocates the stock of the order, or is refused.',
  area: 'payments',
  status: 200,
  queuesBy: 'order_id',
  callsOut: gatewayCall,
  body: { type: 'payment', alsoType: ['order_payment'], typeOptional: true, fields: paymentFields },
  refuses: ['conflict'],
  shows: { resource: transactions },
  async run(ctx, { params, body }) {
    const { order_id: id } = params
    const pay = (isPendingRead: boolean) =>
      callOut(
        ctx,
        gatewayCall,
        async (inside) => {
          const { row, request } = await preparePayment(inside, id, body, isPendingRead)
          return request ?? new NoCall(objectAnswer(200, transactions, row, inside))
        },
        respond,
      )
    // Of two equal requests at once, the second has the payment of the first. A dry run asks no gateway.
    try {
      return await afterCall(ctx, () => pay(ctx.isRehearsal))
    } catch (error) {
      if (!(error instanceof PendingPayments)) throw error
    }
    await settlePending(ctx, id)
    return afterCall(ctx, () => pay(true))
  },
})
