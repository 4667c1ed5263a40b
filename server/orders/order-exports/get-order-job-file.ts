import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { linkMs, signLink } from '../../store/index.ts'
import { orderJobs } from './order-jobs.ts'

/** Shows the link of an exported file. */
export const getOrderJobFile = action({
  name: 'get-order-job-file',
  route: 'GET /v2/jobs/:id/file',
  about:
    'Shows the URL of the CSV file of an export that has ended. The URL is valid for an hour and needs no token; the file is stored for a week.',
  area: 'order-exports',
  status: 200,
  shows: { data: shown.group({ href: shown.uri }) },
  refuses: ['unprocessable'],
  async run(ctx, { params }) {
    const id = await resolveId(ctx, orderJobs, [], params.id)
    const job = await ctx.store.findWhole(orderJobs, id)
    if (!job) throw notFound('order job', params.id)
    const { file_id: fileId } = job.hidden
    if (!fileId || job.doc.status !== 'SUCCESS') {
      throw new Problem('unprocessable', `The job has no file. Its status is ${job.doc.status}.`)
    }
    const until = ctx.clock.now().getTime() + linkMs
    const href = ctx.baseUrl + signLink(ctx.instance, ctx.store.id, `${fileId}_orders.csv`, until)
    return json(200, { data: { href } })
  },
})
