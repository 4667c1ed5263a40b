import type { Row } from '../kernel/declare/resource.ts'
import { add } from '../kernel/request/operations.ts'
import type { Work } from '../kernel/work/context.ts'
import type { PimJob } from './pim-job.ts'
import { pimJobs, type Told } from './pim-jobs.ts'

/** Asks for a job: it is stored and queued in one transaction, the one that is open if there is one. */
export function startJob<P>(
  work: Work,
  job: PimJob<P>,
  payload: P,
  told: Told = {},
): Promise<Row<(typeof pimJobs)['fields']>> {
  return work.transaction(async (work) => {
    const stored = await add(work, pimJobs, [], {
      type: job.type,
      status: 'pending',
      started_at: null,
      completed_at: null,
      request_id: work.requestId,
      told,
    })
    await work.later(job, { jobId: stored.id, payload })
    return stored
  })
}
