import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { pimJobs } from './pim-jobs.ts'

export const cancelPimJob = action({
  name: 'cancel-pim-job',
  route: 'POST /pcm/jobs/:id/cancel',
  about: 'Cancels a pending job.',
  area: 'pim-jobs',
  status: 200,
  shows: { resource: pimJobs },
  async run(ctx, { params }) {
    const { id, doc } = await findByName(ctx, pimJobs, params.id)
    mustBePending(doc.status)
    await ctx.store.lock(pimJobs, id)
    mustBePending((await findById(ctx, pimJobs, id, [])).doc.status)
    const cancelled = await change(ctx, pimJobs, [], id, { status: 'cancelled' })
    return objectAnswer(200, pimJobs, cancelled, ctx)
  },
})

function mustBePending(status: string): void {
  if (status === 'pending') return
  throw new Problem('unprocessable', `The job is ${status}; only a pending job can be cancelled.`)
}
