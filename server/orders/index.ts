import { findProductsOfOrder } from '../cart-items/index.ts'
import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { anonymizeOrders } from './anonymize-orders.ts'
import { checkout } from './checkout.ts'
import { readProductsOf } from './find-products.ts'
import { getOrder } from './get-order.ts'
import { listOrderItems } from './list-order-items.ts'
import { listOrders } from './list-orders.ts'
import { orders } from './orders.ts'
import {
  createOrderShippingGroup,
  getOrderShippingGroup,
  listOrderShippingGroups,
  updateOrderShippingGroup,
} from './shipping-groups.ts'

export { addOrder } from './add-order.ts'
export { address, addressExample } from './addresses.ts'
export { onOrdersForgotten } from './anonymize-orders.ts'
export { type Buyer, buyerFields, findBuyer } from './buyer.ts'
export { followIntentOf } from './checkout.ts'
export { type ForgottenOrders, forgetBuyers } from './forget-buyer.ts'
export { includedSchema, includedText } from './included.ts'
export type { OrderContents } from './order-contents.ts'
export { shippings, statuses } from './order-states.ts'
export type { OrderRow } from './orders.ts'
export { giveUpPayments } from './prepare-order.ts'
export { recordBuyer } from './record-buyer.ts'
export { allocateStock, noStock, type OrderStock, releaseStock } from './stock-of-order.ts'
export { orders }

export const orderChapter = module({
  name: 'orders',
  about: 'What shoppers have bought, and what is left to pay and to ship.',
  resources: [orders],
  actions: [
    checkout,
    listOrders,
    getOrder,
    listOrderItems,
    anonymizeOrders,
    listOrderShippingGroups,
    getOrderShippingGroup,
    createOrderShippingGroup,
    updateOrderShippingGroup,
  ],
  adds: [fill(findProductsOfOrder, readProductsOf)],
})
