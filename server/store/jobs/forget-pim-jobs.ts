import { runInEveryStore } from '../../kernel/work/every-store.ts'
import type { Chore } from '../../kernel/work/job.ts'
import { endStatuses, pimJobs } from './pim-jobs.ts'

const keepMs = 30 * 86_400_000

/** Deletes jobs 30 days after they ended, with their errors. */
export const forgetPimJobs: Chore = {
  name: 'pim-jobs:forget-pim-jobs',
  attemptsMax: 3,
  every: '41 3 * * *',
  run: (instance) =>
    runInEveryStore(
      instance,
      `DELETE FROM ${pimJobs.table} WHERE store_id = $1 AND updated_at < $2
         AND doc->'attributes'->>'status' = ANY($3)`,
      new Date(instance.clock.now().getTime() - keepMs),
      endStatuses,
    ),
}
