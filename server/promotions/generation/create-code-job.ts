import { dataSchema, input, isObject } from '../../kernel/body/input.ts'
import { action } from '../../kernel/declare/action.ts'
import { missingField, Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import { findByName } from '../../kernel/query/find.ts'
import { complete } from '../../kernel/shape/values.ts'
import { startDocumented } from '../../store/index.ts'
import { jobInput } from '../codes/code-jobs.ts'
import { type CodedPromotion, mostCodes } from '../codes/codes-max.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'
import { lockForCodes } from '../codes/room-for-codes.ts'
import { exportCodesOf } from './export-codes.ts'
import { generateCodesOf } from './generate-codes.ts'

/** Starts a job of a promotion. */
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
    rawBodies: { 'application/json': { anyOf: [object({ data }), data] } },
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
          } as never,
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
