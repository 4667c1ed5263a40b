import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { followIntentOf, giveUpPayments } from '../../orders/index.ts'
import { transactions } from '../transactions/transactions.ts'
import { cancelManualPayments } from './cancel-manual-payments.ts'
import { followCartPayment, followPaymentOfOrder } from './follow-cart-payment.ts'
import { followPayment } from './follow-payment.ts'
import { hearStripe } from './hear-stripe.ts'
import { listOpenPayments } from './list-open-payments.ts'
import { payOrder } from './pay-order.ts'
import { cancelTransaction, captureTransaction, confirmTransaction, refundTransaction } from './verbs.ts'

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
  adds: [fill(giveUpPayments, cancelManualPayments), fill(followIntentOf, followPaymentOfOrder)],
})
