import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { giveUpPayments } from '../orders/index.ts'
import { cancelManualPayments } from './cancel-manual-payments.ts'
import { followPayment } from './follow-payment.ts'
import { hearStripe } from './hear-stripe.ts'
import { listOpenPayments } from './list-open-payments.ts'
import { payOrder } from './pay-order.ts'
import { transactions } from './transactions.ts'
import { followCartIntent } from './unclaimed-intents.ts'
import { cancelTransaction, captureTransaction, confirmTransaction, refundTransaction } from './verbs.ts'

export { mustTakePayment, openGateway, stripeGateways } from './find-gateway.ts'
export { afterFaultMs, ageMsOf, nextReadMs, readOrEnd } from './follow-payment.ts'
export { forgetPayments } from './forget-payments.ts'
export { ask, type GatewayRequest, gatewayCall } from './gateway-call.ts'
export { hearUnknownIntent } from './hear-stripe.ts'
export { paymentFields } from './pay-order.ts'
export { mustChooseWays } from './prepare-payment.ts'
export { refusedByGateway, respond } from './respond.ts'
export { lockOrder, settleNew } from './settle.ts'
export { settleOutcome } from './settle-outcome.ts'
export { transactions } from './transactions.ts'
export { type CartIntent, followIntentOfCart, hearIntentOfCart } from './unclaimed-intents.ts'

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
  jobs: [followPayment, followCartIntent],
  adds: [fill(giveUpPayments, cancelManualPayments)],
})
