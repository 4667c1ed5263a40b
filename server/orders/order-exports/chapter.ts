import { module } from '../../kernel/module.ts'
import { createOrderJob } from './create-order-job.ts'
import { exportOrders } from './export-orders.ts'
import { forgetOrderJobs } from './forget-order-jobs.ts'
import { getOrderJobFile } from './get-order-job-file.ts'
import { orderJobs } from './order-jobs.ts'

export const orderExportChapter = module({
  name: 'order-exports',
  about: 'Jobs that export orders to CSV files.',
  resources: [orderJobs],
  actions: [createOrderJob, getOrderJobFile],
  jobs: [exportOrders],
  chores: [forgetOrderJobs],
})
