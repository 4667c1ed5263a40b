import { findProductsOfOrder } from '../../carts/index.ts'
import { fill } from '../../kernel/declare/hook.ts'
import { module } from '../../kernel/module.ts'
import { anonymizeOrders } from '../buyer/anonymize-orders.ts'
import { readProductsOf } from '../order/find-products.ts'
import { getOrder } from '../order/get-order.ts'
import { listOrderItems } from '../order/list-order-items.ts'
import { listOrders } from '../order/list-orders.ts'
import { orders } from '../order/orders.ts'
import { orderShippingGroups } from '../order/shipping-groups.ts'
import { checkout } from './checkout.ts'

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
    orderShippingGroups.list,
    orderShippingGroups.get,
    orderShippingGroups.create,
    orderShippingGroups.update,
  ],
  adds: [fill(findProductsOfOrder, readProductsOf)],
})
