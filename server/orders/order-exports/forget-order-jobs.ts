import { forgetAfterDays } from '../../kernel/work/every-store.ts'

/** Deletes jobs a week after they ended; their files are deleted then too (see `forgetOrphans`). */
export const forgetOrderJobs = forgetAfterDays(7, {
  name: 'order-exports:forget-order-jobs',
  every: '51 3 * * *',
  statements: [
    `DELETE FROM order_jobs WHERE store_id = $1 AND updated_at < $2 AND doc->>'status' IN ('SUCCESS', 'FAILED')`,
  ],
})
