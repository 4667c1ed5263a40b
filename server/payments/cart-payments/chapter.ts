import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { followIntentOf } from '../../orders/index.ts'
import { hearUnknownIntent } from '../payment-calls/hear-stripe.ts'
import { confirmOrder } from './confirm-order.ts'
import { createCartPayment } from './create-cart-payment.ts'
import { followIntent, followIntentOfOrder, hearIntent } from './follow-intent.ts'
import { updateCartPayment } from './update-cart-payment.ts'

export const cartPaymentChapter = module({
  name: 'cart-payments',
  about: 'Payments that shoppers begin with their cart, before there is an order.',
  actions: [createCartPayment, updateCartPayment, confirmOrder],
  jobs: [followIntent],
  adds: [fill(followIntentOf, followIntentOfOrder), fill(hearUnknownIntent, hearIntent)],
})
