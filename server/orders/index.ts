import { type Module, module } from '../kernel/module.ts'
import { anonymizeOrders, type ForgetTraces } from './anonymize-orders.ts'
import { checkout, type FollowIntentOf } from './checkout.ts'
import { getOrder } from './get-order.ts'
import { listOrderItems } from './list-order-items.ts'
import { listOrders } from './list-orders.ts'
import type { orders } from './orders.ts'
import {
  createOrderShippingGroup,
  getOrderShippingGroup,
  listOrderShippingGroups,
  updateOrderShippingGroup,
} from './shipping-groups.ts'

export { addOrder } from './add-order.ts'
export { address, addressExample } from './addresses.ts'
export { type Buyer, buyerFields, findBuyer } from './buyer.ts'
export { findProductsOfOrder } from './find-products.ts'
export { type ForgottenOrders, forgetBuyers } from './forget-buyer.ts'
export { includedSchema, includedText } from './included.ts'
export type { OrderContents } from './order-contents.ts'
export { shippings, statuses } from './order-states.ts'
export { type OrderRow, orders, ordersWith } from './orders.ts'
export type { GiveUpPayments } from './prepare-order.ts'
export { recordBuyer } from './record-buyer.ts'
export { allocateStock, noStock, type OrderStock, releaseStock } from './stock-of-order.ts'

export function orderChapter(
  cancellableOrders: typeof orders,
  followIntentOf: FollowIntentOf,
  forgetTraces: ForgetTraces,
): Module {
  return module({
    name: 'orders',
    about: 'What shoppers have bought, and what is left to pay and to ship.',
    resources: [cancellableOrders],
    actions: [
      checkout(followIntentOf),
      listOrders(cancellableOrders),
      getOrder,
      listOrderItems,
      anonymizeOrders(forgetTraces),
      listOrderShippingGroups,
      getOrderShippingGroup,
      createOrderShippingGroup,
      updateOrderShippingGroup,
    ],
  })
}
