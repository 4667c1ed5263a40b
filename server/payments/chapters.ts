import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { followIntentOf, giveUpPayments, paymentsOfOrders } from '../orders/index.ts'
import { confirmOrder } from './cart-payments/confirm-order.ts'
import { createCartPayment } from './cart-payments/create-cart-payment.ts'
import { updateCartPayment } from './cart-payments/update-cart-payment.ts'
import { addGateways, gateways, renewGatewaySecrets } from './gateways/gateways.ts'
import { updateGateway } from './gateways/update-gateway.ts'
import { createManualOrder } from './manual-orders/create-manual-order.ts'
import { deleteManualOrder } from './manual-orders/delete-manual-order.ts'
import { cancelManualPayments } from './payment-calls/cancel-manual-payments.ts'
import { followCartPayment, followPaymentOfOrder } from './payment-calls/follow-cart-payment.ts'
import { followPayment } from './payment-calls/follow-payment.ts'
import { hearStripe } from './payment-calls/hear-stripe.ts'
import { listOpenPayments, openPaymentFigures } from './payment-calls/list-open-payments.ts'
import { payOrder } from './payment-calls/pay-order.ts'
import {
  cancelTransaction,
  captureTransaction,
  confirmTransaction,
  refundTransaction,
} from './payment-calls/verbs.ts'
import { readPayments } from './transactions/payments-of-orders.ts'
import { transactions } from './transactions/transactions.ts'

export const payments = module({
  name: 'payments',
  about: 'Says what the transactions of an order have come to, and which payments it takes.',
})

export const gatewayChapter = module({
  name: 'gateways',
  about: 'The payment gateways of the store, and their settings.',
  resources: [gateways],
  actions: [updateGateway],
  firstDay: addGateways,
  renewSeals: renewGatewaySecrets,
})

export const stripe = module({
  name: 'stripe',
  about: 'Payments by payment intents of Stripe.',
})

export const transactionChapter = module({
  name: 'transactions',
  about: 'Payments of orders: what they have come to, and how they are captured, refunded and cancelled.',
  resources: [transactions],
  actions: [
    payOrder,
    confirmTransaction,
    captureTransaction,
    refundTransaction,
    cancelTransaction,
    listOpenPayments,
    hearStripe,
  ],
  jobs: [followPayment, followCartPayment],
  figures: openPaymentFigures,
  adds: [
    fill(paymentsOfOrders, readPayments),
    fill(giveUpPayments, cancelManualPayments),
    fill(followIntentOf, followPaymentOfOrder),
  ],
})

export const manualOrderChapter = module({
  name: 'manual-orders',
  about: 'Orders that sellers enter without a cart.',
  actions: [createManualOrder, deleteManualOrder],
})

export const cartPaymentChapter = module({
  name: 'cart-payments',
  about: 'Payments that shoppers begin with their cart, before there is an order.',
  actions: [createCartPayment, updateCartPayment, confirmOrder],
})
