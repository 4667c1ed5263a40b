import { module } from '../../kernel/module.ts'
import { confirmOrder } from './confirm-order.ts'
import { createCartPayment } from './create-cart-payment.ts'
import { updateCartPayment } from './update-cart-payment.ts'

export const cartPaymentChapter = module({
  name: 'cart-payments',
  about: 'Payments that shoppers begin with their cart, before there is an order.',
  actions: [createCartPayment, updateCartPayment, confirmOrder],
})
