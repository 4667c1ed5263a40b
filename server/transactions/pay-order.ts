import { gatewaySlugs } from '../gateways/index.ts'
import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { newId } from '../kernel/ids.ts'
import { choice, field, group, integer, text } from '../kernel/shape/fields.ts'
import { afterReports, paymentMethods, startPayment } from '../payments/index.ts'
import { accept } from './decide.ts'
import { gatewayForPayment } from './find-gateway.ts'
import { lockOrder, settleNew } from './settle.ts'
import { transactions } from './transactions.ts'

const fields = {
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
  options: field<Readonly<Record<string, unknown>> | undefined>(
    { type: 'object', additionalProperties: true },
    { about: 'Options of the gateway.' },
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
  body: { type: 'payment', alsoType: ['order_payment'], typeOptional: true, fields },
  refuses: ['conflict'],
  shows: { resource: transactions },
  async run(ctx, { params, body }) {
    const { method, amount, paymentmethod_meta: meta } = body
    const locked = await lockOrder(ctx, params.order_id)
    const gateway = await gatewayForPayment(ctx, body.gateway, method)
    const started = accept(startPayment(locked.money, { gateway: body.gateway, method, amount }))
    const { currency } = locked.order.hidden
    const charge = {
      ...{ method, amount: started.amount, orderId: locked.order.id },
      ...{ currency: currency?.code ?? '', decimalPlaces: currency?.decimal_places ?? 0 },
      ...{ payment: body.payment, options: body.options },
    }
    const via = { key: newId() }
    const { reports, reference = '' } = await (method.startsWith('authorize')
      ? gateway.authorize(charge, via)
      : gateway.purchase(charge, via))
    const row = await settleNew(ctx, locked, afterReports(started, reports), {
      ...{ reference, gateway: body.gateway },
      ...(meta?.name !== undefined && { name: meta.name }),
      ...(meta?.custom_reference !== undefined && { custom_reference: meta.custom_reference }),
    })
    return objectAnswer(200, transactions, row, ctx)
  },
})
