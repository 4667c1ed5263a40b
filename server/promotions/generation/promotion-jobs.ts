import { dataSchema, input, isObject } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { missingField, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { complete } from '../../kernel/shape/values.ts'
import { forgetAfterDays } from '../../kernel/work/every-store.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { startDocumented } from '../../store/index.ts'
import { endStatuses, jobInput } from '../codes/code-jobs.ts'
import { type CodedPromotion, mostCodes } from '../codes/codes-max.ts'
import { allKinds, type PromotionKind } from '../codes/promotion-kinds.ts'
import { lockForCodes } from '../codes/room-for-codes.ts'
import { exportCodesOf } from './export-codes.ts'
import { generateCodesOf } from './generate-codes.ts'

export const createCodeJob = (kind: PromotionKind) => {
  const [generate, exportAll] = [generateCodesOf(kind), exportCodesOf(kind)]
  const shape = { type: 'promotion_job', typeOptional: true, fields: jobInput(kind) }
  const body = input(shape)
  const data = {
    ...dataSchema(shape, false),
    if: { properties: { job_type: { const: 'code_generate' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ['parameters'], properties: { parameters: { required: ['number_of_codes'] } } },
  }
  return action({
    name: `create-${kind.name}-job`,
    route: `POST ${kind.path}/:promotion_id/jobs`,
    about:
      'Starts a job that generates codes of a promotion, or exports all of them. The body may also be the value of `data` alone. ' +
      'A promotion that has no room for the codes makes the job fail.',
    area: 'promotions',
    status: 201,
    // Some clients send `data` alone.
    rawBodies: {
      'application/json': { anyOf: [{ type: 'object', required: ['data'], properties: { data } }, data] },
    },
    shows: { resource: kind.jobs },
    refuses: ['invalid_field', 'unprocessable'],

    async run(ctx, { params, rawBody }) {
      const isWrapped = isObject(rawBody) && 'data' in rawBody
      const values = complete(shape.fields, body.create(isWrapped ? rawBody : { data: rawBody }))
      const { job_type, name, parameters } = values
      const isGenerate = job_type === 'code_generate'
      if (isGenerate && parameters?.number_of_codes === undefined) {
        throw missingField('data.parameters.number_of_codes')
      }
      const { id, doc } = isGenerate
        ? await lockForCodes(ctx, kind, params.promotion_id)
        : await findByName(ctx, kind.promotions, params.promotion_id)
      if (isGenerate) mustBeFew(parameters?.number_of_codes ?? 0, doc as unknown as CodedPromotion)
      const job = await startDocumented(
        ctx,
        isGenerate ? generate : exportAll,
        {
          scope: [id],
          values: {
            ...{ job_type, name, status: 'pending', [kind.idField]: id },
            ...(isGenerate && { parameters }),
          },
        },
        (jobId) => ({ promotionId: id, jobId }),
      )
      return objectAnswer(201, kind.jobs, job, ctx)
    },
  })
}

function mustBeFew(count: number, promotion: CodedPromotion): void {
  const most = mostCodes(promotion)
  if (count <= most) return
  throw new Problem(
    'invalid_field',
    `A promotion can have at most ${most} codes. If it lasts 365 days at most, it can have more.`,
    { source: 'data.parameters.number_of_codes' },
  )
}

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

/** Deletes jobs 30 days after they ended. */
export const forgetCodeJobs = forgetAfterDays(30, {
  name: 'promotion-codes:forget-code-jobs',
  every: '47 3 * * *',
  statements: allKinds.map(
    ({ jobs }) => `DELETE FROM ${jobs.table} WHERE store_id = $1 AND updated_at < $2 AND status = ANY($3)`,
  ),
  values: [endStatuses],
})
