import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'

/** Cancels a job: at once if it is pending, else after its current part. */
export const cancelCodeJob = (kind: PromotionKind) =>
  action({
    name: `cancel-${kind.name}-job`,
    route: `POST ${kind.path}/:promotion_id/jobs/:id/cancel`,
    about:
      'Cancels a job that has not ended. A job that is processing is `cancelling` until its codes are deleted; `result.deleted` counts them.',
    area: 'promotions',
    status: 200,
    shows: { resource: kind.jobs },
    refuses: ['unprocessable'],
    async run(ctx, { params }) {
      const { id: promotionId } = await findByName(ctx, kind.promotions, params.promotion_id)
      const { id } = await findByName(ctx, kind.jobs, params.id, [promotionId])
      await ctx.store.lock(kind.jobs, id)
      const { status } = (await findById(ctx, kind.jobs, id, [promotionId])).doc
      if (status !== 'pending' && status !== 'processing') {
        throw new Problem('unprocessable', 'Only pending or processing jobs can be cancelled.')
      }
      const next = status === 'pending' ? 'cancelled' : 'cancelling'
      return objectAnswer(
        200,
        kind.jobs,
        await change(ctx, kind.jobs, [promotionId], id, { status: next }),
        ctx,
      )
    },
  })
