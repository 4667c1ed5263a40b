import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { choice, group, integer, text, type Values } from '../../kernel/shape/fields.ts'
import { type FilterRule, walks } from '../../kernel/shape/model.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { JobDocument } from '../../store/index.ts'
import { promotionEnvelope } from '../standard/promotion-envelope.ts'
import { codesPerJobMax } from './codes-max.ts'
import { type KindOfPromotion, rule, standard } from './kind-of-promotion.ts'

export const endStatuses = ['completed', 'failed', 'cancelled'] as const
const openStatuses = ['pending', 'processing', 'cancelling'] as const

const server = { readOnly: true } as const
const hidden = { readOnly: true, hidden: true } as const
const count = (about: string) => integer({ min: 0, about })

/** What clients say about a job. */
export const jobInput = ({ consumeUnits }: KindOfPromotion) => ({
  job_type: choice(['code_generate', 'code_export'], {
    required: true,
    about: 'Whether the job generates codes, or writes all codes of the promotion to a CSV file.',
  }),
  name: text({ max: 50, about: 'A name for people.', example: 'Summer sale' }),
  parameters: group(
    {
      number_of_codes: integer({
        min: 1,
        max: codesPerJobMax,
        about: `How many codes to generate: as many as the promotion can have, and at most ${codesPerJobMax}.`,
      }),
      max_uses_per_code: integer({
        min: 0,
        about: 'How often each code can be used. With 0 it cannot be used; left out, there is no limit.',
      }),
      consume_unit: choice(consumeUnits, { default: consumeUnits[0], about: 'What counts as a use.' }),
      code_prefix: text({ max: 64, about: 'What each code begins with.', example: 'SUMMER-' }),
      code_length: integer({
        min: 8,
        max: 16,
        default: 8,
        about: 'The number of random characters of a code. There is a dash after every four.',
      }),
    },
    { about: 'What to generate. Only for `code_generate`.', example: { number_of_codes: 100 } },
  ),
})

const fieldsOf = (kind: KindOfPromotion) => ({
  ...jobInput(kind),
  [kind.idField]: text({ ...server, format: 'uuid', about: 'The id of the promotion.' }),
  status: choice([...openStatuses, ...endStatuses], {
    ...server,
    required: true,
    about: 'The state of the job.',
  }),
  error: text({ ...server, about: 'Why the job failed.' }),
  result: group(
    {
      generated: count('How many codes the job generated.'),
      deleted: count('How many of them were deleted because the job was cancelled.'),
    },
    { ...server, about: 'What the job did. Only for `code_generate`.' },
  ),
  // The state from which the next part continues, why the job waits, and the file of an export.
  generated: integer({ ...hidden, min: 0 }),
  waiting_for: text(hidden),
  file_id: text(hidden),
})

export type JobFields = ReturnType<typeof fieldsOf> & {
  readonly status: ReturnType<typeof choice<JobStatus, { readonly required: true }>>
}
export type CodeJobValues = Values<JobFields>
type JobStatus = (typeof openStatuses)[number] | (typeof endStatuses)[number]

/** The public contract filters by `complete`, and shows `completed`. */
const byStatus: FilterRule = {
  ops: ['eq'],
  type: 'text',
  where: (_op, values, bind) =>
    `status = ANY(${bind(values.map((value) => (value === 'complete' ? 'completed' : value)))}::text[])`,
}

const jobsOf = (kind: KindOfPromotion): Resource<JobFields> =>
  resource({
    type: 'promotion_job',
    noun: [`${kind.name}-job`, `${kind.name}-jobs`],
    about:
      `Generates codes of a ${kind.words}, or exports them. A promotion can have one job at a time that has not ended. ` +
      'The jobs of a store run one after the other. A job is deleted 30 days after it ended.',
    path: `${kind.path}/:promotion_id/jobs`,
    parent: () => kind.promotions,
    table: `${kind.tables}_jobs`,
    fields: fieldsOf(kind) as never as JobFields,
    filter: { ...walks, job_type: { ops: ['eq'], type: 'text', indexed: true }, status: byStatus },
    sort: ['created_at', 'id'],
    area: 'promotions',
    operations: ['list'],
    envelope: promotionEnvelope,
    constraints: {
      [`${kind.tables}_jobs_open_key`]: {
        code: 'invalid_field',
        title: 'Too many jobs',
        detail: 'Only 1 pending or processing job is allowed per promotion.',
      },
    },
  }) as never

export const jobs = { standard: jobsOf(standard), rule: jobsOf(rule) }

export interface CodeJobDetails {
  readonly result?: { readonly generated: number; readonly deleted?: number }
  readonly file_id?: string
}

/** A job shows itself. */
export const jobDocumentOf = (resource: Resource<JobFields>): JobDocument<JobFields, CodeJobDetails> => ({
  resource,
  read: ({ doc: { status }, hidden: { generated, waiting_for } }) => ({
    phase:
      status === 'pending'
        ? 'pending'
        : (openStatuses as readonly string[]).includes(status)
          ? 'started'
          : 'ended',
    state: generated,
    waitingFor: waiting_for,
    errorCount: 0,
  }),
  show: ({ doc: { status } }, event) => {
    if (event.is === 'waiting') return { waiting_for: event.reason }
    const details = { ...('details' in event && event.details), waiting_for: undefined }
    switch (event.is) {
      case 'started':
        return { ...details, status: status === 'pending' ? 'processing' : status }
      case 'part done':
        return { ...details, generated: event.state as number }
      case 'ended': {
        const end = status === 'cancelling' ? 'cancelled' : event.isSuccess ? 'completed' : 'failed'
        return { ...details, generated: undefined, status: end }
      }
    }
  },
  addErrors: async (work, { id, scope }, [error]) => {
    if (error) await change(work, resource, scope, id, { error: error.slice(0, 1000).toWellFormed() })
  },
})
