export {
  cartPaymentChapter,
  gatewayChapter,
  manualOrderChapter,
  payments,
  stripe,
  transactionChapter,
} from './chapters.ts'
export { gateways } from './gateways/gateways.ts'
export { forgetPayments } from './transactions/forget-payments.ts'
export { transactions } from './transactions/transactions.ts'
