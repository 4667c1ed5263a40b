import { findProductsOfOrder } from '../carts/index.ts'
import { fill } from '../kernel/declare/hook.ts'
import { module } from '../kernel/module.ts'
import { anonymizeOrders } from './buyer/anonymize-orders.ts'
import { checkout } from './checkout/checkout.ts'
import { mergeOrderSums } from './metrics/merge-order-sums.ts'
import { getOrderSummary, orderTimeSeries, peopleTimeSeries } from './metrics/order-metrics.ts'
import { readProductsOf } from './order/find-products.ts'
import { getOrder } from './order/get-order.ts'
import { listOrderItems } from './order/list-order-items.ts'
import { listOrders } from './order/list-orders.ts'
import { orders } from './order/orders.ts'
import { orderShippingGroups } from './order/shipping-groups.ts'
import { createOrderJob } from './order-exports/create-order-job.ts'
import { exportOrders } from './order-exports/export-orders.ts'
import { forgetOrderJobs } from './order-exports/forget-order-jobs.ts'
import { getOrderJobFile } from './order-exports/get-order-job-file.ts'
import { orderJobs } from './order-exports/order-jobs.ts'

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

export const orderExportChapter = module({
  name: 'order-exports',
  about: 'Jobs that export orders to CSV files.',
  resources: [orderJobs],
  actions: [createOrderJob, getOrderJobFile],
  jobs: [exportOrders],
  chores: [forgetOrderJobs],
})

export const metrics = module({
  name: 'metrics',
  about: 'How many orders there were, what they come to, and how many people came.',
  actions: [getOrderSummary, ...orderTimeSeries, ...peopleTimeSeries],
  chores: [mergeOrderSums],
})
