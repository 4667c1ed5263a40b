import { runInEveryStore } from '../../kernel/work/every-store.ts'
import type { Chore } from '../../kernel/work/job.ts'

const keepMs = 7 * 86_400_000

/** Deletes jobs a week after they ended; their files are deleted then too (see `forgetOrphans`). */
export const forgetOrderJobs: Chore = {
  name: 'order-exports:forget-order-jobs',
  attemptsMax: 3,
  every: '51 3 * * *',
  async run(instance) {
    await runInEveryStore(
      instance,
      `DELETE FROM order_jobs WHERE store_id = $1 AND updated_at < $2 AND doc->>'status' IN ('SUCCESS', 'FAILED')`,
      new Date(instance.clock.now().getTime() - keepMs),
    )
  },
}
