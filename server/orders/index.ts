export { onOrdersForgotten } from './buyer/anonymize-orders.ts'
export { type Buyer, buyerFields, findBuyer, lockBuyer } from './buyer/buyer.ts'
export { type ForgottenOrders, forgetBuyers } from './buyer/forget-buyer.ts'
export { recordBuyer } from './buyer/record-buyer.ts'
export { metrics, orderChapter, orderExportChapter } from './chapters.ts'
export { addOrder } from './checkout/add-order.ts'
export { followIntentOf } from './checkout/checkout.ts'
export { address, addressExample } from './order/addresses.ts'
export { paymentsOfOrders } from './order/change-contents.ts'
export { paymentValuesOf } from './order/derive-order.ts'
export { included, includedText } from './order/included.ts'
export { type OrderContents, portionsOfOrder } from './order/order-contents.ts'
export { shippings, statuses } from './order/order-states.ts'
export { type OrderFields, type OrderRow, orders, type WholeOrder } from './order/orders.ts'
export { giveUpPayments } from './order/prepare-order.ts'
export {
  allocateStock,
  awaitStockOf,
  awaitStockOfLocked,
  type ChangedStock,
  noStock,
  type OrderStock,
  releaseStock,
} from './order/stock-of-order.ts'
export {
  balanceOf,
  type OrderMoney,
  type Payment,
  paymentOf,
  paymentStates,
} from './payment-state/payment-of.ts'
export {
  newTransaction,
  type PaymentMethod,
  paymentMethods,
  type Transaction,
  transactionStatuses,
  transactionTypes,
} from './payment-state/transaction.ts'
export {
  afterReport,
  afterReports,
  isAuthorized,
  isPaid,
  isPending,
  type Report,
} from './payment-state/transaction-states.ts'
