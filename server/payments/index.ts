import { module } from '../kernel/module.ts'

export { type Excess, withoutExcess } from './excess.ts'
export {
  type CancellationReason,
  type Charge,
  cancellationReasons,
  type Gateway,
  type GatewayCall,
  type Outcome,
  type Receipt,
} from './gateway.ts'
export {
  balanceOf,
  noPayments,
  type PaymentState,
  type PaymentSums,
  paymentOf,
  paymentStates,
} from './payment-of.ts'
export { type Reason, reasonForShoppers } from './reason.ts'
export { problemOf } from './refusals.ts'
export {
  type Decision,
  mayCancel,
  mayCapture,
  type OrderMoney,
  type Refusal,
  startPayment,
  startRefund,
} from './requests.ts'
export {
  newTransaction,
  type PaymentMethod,
  paymentMethods,
  type Transaction,
  transactionStatuses,
  transactionTypes,
} from './transaction.ts'
export {
  afterReport,
  afterReports,
  isAuthorized,
  isPaid,
  isPending,
  type Report,
} from './transaction-states.ts'

export const payments = module({
  name: 'payments',
  about: 'Says what the transactions of an order have come to, and which payments it takes.',
})
