import { runInEveryStore } from '../../kernel/work/every-store.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { endStatuses } from '../codes/code-jobs.ts'
import { allKinds } from '../codes/promotion-kinds.ts'

const keepMs = 30 * 86_400_000

/** Deletes jobs 30 days after they ended. */
export const forgetCodeJobs: Chore = {
  name: 'promotion-codes:forget-code-jobs',
  attemptsMax: 3,
  every: '47 3 * * *',
  async run(instance) {
    const before = new Date(instance.clock.now().getTime() - keepMs)
    for (const { jobs } of allKinds) {
      await runInEveryStore(
        instance,
        `DELETE FROM ${jobs.table} WHERE store_id = $1 AND updated_at < $2 AND status = ANY($3)`,
        before,
        endStatuses,
      )
    }
  },
}
