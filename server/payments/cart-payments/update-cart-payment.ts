import { lockCart } from '../../carts/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { notFound } from '../../kernel/errors.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import { afterCall } from '../../kernel/work/after-call.ts'
import { callOut } from '../../kernel/work/outside-calls.ts'
import { paymentMethods } from '../../orders/index.ts'
import { stripeGateways } from '../payment-calls/find-gateway.ts'
import { paymentFields } from '../payment-calls/pay-order.ts'
import { amount, shownIntent } from './create-cart-payment.ts'
import { intentCall, respondWith } from './intent-call.ts'
import { cartToPay, mustFitCart, prepareIntent } from './prepare-intent.ts'

/** Gives the payment intent of a cart the amount that the cart costs now. */
export const updateCartPayment = action({
  name: 'update-cart-payment',
  route: 'PUT /v2/carts/:cart_id/payments/:payment_intent_id',
  about:
    'Gives the payment intent of a cart the amount that the cart costs now. Send it when the shopper is about to pay: changes of the cart do not change the intent.',
  area: 'carts',
  status: 200,
  queuesBy: 'cart_id',
  callsOut: intentCall,
  params: { payment_intent_id: text({ about: 'What Stripe calls the payment intent of the cart.' }) },
  body: {
    ...{ type: 'payment', typeOptional: true, optional: true },
    fields: {
      gateway: choice(stripeGateways, { about: 'The gateway of the intent. Another one is refused (409).' }),
      method: choice(paymentMethods, { about: 'The method of the intent. Another one is refused (409).' }),
      ...{ amount, options: paymentFields.options },
    },
  },
  refuses: ['conflict', 'unprocessable', 'not_found'],
  shows: shownIntent,
  run: (ctx, { params, body }) =>
    afterCall(ctx, () =>
      callOut(
        ctx,
        intentCall,
        async (inside) => {
          const locked = await lockCart(inside, params.cart_id)
          if (locked?.doc.payment_intent_id !== params.payment_intent_id) {
            throw notFound('payment intent', params.payment_intent_id)
          }
          const cart = await cartToPay(inside, params.cart_id)
          const kept = await mustFitCart(inside, cart, body)
          if (!kept) throw notFound('payment intent', params.payment_intent_id)
          return prepareIntent(inside, cart, { gateway: kept.gateway, method: 'purchase' })
        },
        respondWith(200),
      ),
    ),
})
