import { carts } from '../../carts/index.ts'
import { action } from '../../kernel/declare/action.ts'
import { choice, integer } from '../../kernel/shape/fields.ts'
import { optional, shown } from '../../kernel/shape/shown.ts'
import { afterCall } from '../../kernel/work/after-call.ts'
import { callOut } from '../../kernel/work/outside-calls.ts'
import { stripeGateways } from '../payment-calls/find-gateway.ts'
import { paymentFields } from '../payment-calls/pay-order.ts'
import { mustChooseWays } from '../payment-calls/prepare-payment.ts'
import { intentCall, respondWith } from './intent-call.ts'
import { cartToPay, mustFitCart, prepareIntent } from './prepare-intent.ts'

const { method, payment, payment_method_types, options } = paymentFields

/** The amount that the client believes the cart costs. */
export const amount = integer({
  about: 'What the cart costs, in the smallest unit of the currency. Another amount is refused (422).',
})

/** The response: a cart, and its intent for the browser. */
export const shownIntent = {
  resource: carts,
  beside: {
    meta: shown.group({ payment_intent: optional(shown.object) }),
  },
} as const

/** Begins the payment of a cart. */
export const createCartPayment = action({
  name: 'create-cart-payment',
  route: 'POST /v2/carts/:cart_id/payments',
  about:
    'Creates a payment intent at Stripe for what the cart costs now, and links it with the cart. The shopper pays it in the browser, with the secret in `meta.payment_intent`. A cart that has an intent keeps it, and the intent gets the current amount; another `gateway` or `method` is refused (409), and only a new intent reads `payment`, `payment_method_types` and `options`. The checkout gives the intent to the order; confirm the order then.',
  area: 'carts',
  status: 201,
  queuesBy: 'cart_id',
  callsOut: intentCall,
  params: {},
  body: {
    ...{ type: 'payment', typeOptional: true },
    fields: {
      gateway: choice(stripeGateways, {
        required: true,
        about: 'The gateway that takes the payment.',
        example: 'stripe_payment_intents',
      }),
      ...{ method, amount, payment, payment_method_types, options },
    },
  },
  refuses: ['conflict', 'unprocessable'],
  shows: shownIntent,
  run: (ctx, { params, body }) =>
    // Of two requests at once, the second has the intent of the first.
    afterCall(ctx, () =>
      callOut(
        ctx,
        intentCall,
        async (inside) => {
          const { payment_method_types: paymentMethodTypes, amount: _, ...others } = body
          mustChooseWays(body)
          const cart = await cartToPay(inside, params.cart_id)
          await mustFitCart(inside, cart, body)
          return prepareIntent(inside, cart, { ...others, paymentMethodTypes })
        },
        respondWith(201),
      ),
    ),
})
