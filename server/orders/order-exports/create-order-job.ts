import { action } from '../../kernel/declare/action.ts'
import { blame } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { startDocumented } from '../../store/index.ts'
import { exportOrders, ordersToExport } from './export-orders.ts'
import { jobInput, orderJobs } from './order-jobs.ts'

/** Starts an export of orders. */
export const createOrderJob = action({
  name: 'create-order-job',
  route: 'POST /v2/jobs',
  about: 'Starts a job that exports orders to a CSV file. It fails if no order matches the filter.',
  area: 'order-exports',
  status: 202,
  body: { type: 'job', typeOptional: true, fields: jobInput },
  shows: { resource: orderJobs },
  refuses: ['bad_filter'],
  async run(ctx, { body }) {
    const { job_type, name, filter } = body
    await blame('data.filter', () => ordersToExport(filter))
    const values = { job_type, name, filter }
    const job = await startDocumented(ctx, exportOrders, { values }, (jobId) => ({ jobId }))
    return objectAnswer(202, orderJobs, job, ctx)
  },
})
