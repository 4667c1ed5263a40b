import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import { findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { linkMs, signLink } from '../../store/index.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'

/** How long the file of an export is stored at least. */
const keepMs = 86_400_000

/** Shows the link of an exported file. */
export const getCodeFile = (kind: PromotionKind) =>
  action({
    name: `get-${kind.name}-job-file`,
    route: `GET ${kind.path}/:promotion_id/jobs/:id/file`,
    about:
      'Shows the URL of the CSV file of an export that has ended. The URL is valid for an hour and needs no token; the file is stored for a day.',
    area: 'promotions',
    status: 200,
    shows: { body: object({ href: { type: 'string', format: 'uri' } }) },
    refuses: ['unprocessable'],
    async run(ctx, { params }) {
      const { id: promotionId } = await findByName(ctx, kind.promotions, params.promotion_id)
      const { id } = await findByName(ctx, kind.jobs, params.id, [promotionId])
      const job = await ctx.store.findWhole(kind.jobs, id, [promotionId])
      if (!job) throw notFound('promotion job', params.id)
      const { file_id: fileId } = job.hidden
      if (!fileId || job.doc.status !== 'completed') {
        throw new Problem('unprocessable', `Job has no file to download. Job status: ${job.doc.status}`)
      }
      const now = ctx.clock.now().getTime()
      if (Date.parse(job.updatedAt) + keepMs < now) {
        throw new Problem(
          'unprocessable',
          'The file is deleted a day after the export. Start another export.',
        )
      }
      const name = `${fileId}_codes.csv`
      return json(200, { href: ctx.baseUrl + signLink(ctx.instance, ctx.store.id, name, now + linkMs) })
    },
  })
