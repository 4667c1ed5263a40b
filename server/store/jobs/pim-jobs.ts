import { action } from '../../kernel/declare/action.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import type { Envelope } from '../../kernel/shape/envelope.ts'
import { choice, field, group, integer, list, text } from '../../kernel/shape/fields.ts'
import { type Row, walks } from '../../kernel/shape/model.ts'
import { forgetAfterDays } from '../../kernel/work/every-store.ts'
import { change } from '../../kernel/write/by-rules.ts'

/** The envelope of PIM jobs. The `type` among the attributes is the type of the job. */
export const pimJobEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  type: 'attributes',
  links: 'none',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}

const pimJobTypes = [
  'child-products',
  'product-import',
  'product-export',
  'hierarchy-duplicate',
  'price-import',
] as const

export type PimJobType = (typeof pimJobTypes)[number]

const statuses = ['pending', 'started', 'success', 'failed', 'cancelled'] as const

/** The statuses of jobs that have ended. */
export const endStatuses: readonly string[] = ['success', 'failed', 'cancelled']

/** What `meta` shows of a job. */
export interface PimJobDetails {
  readonly filter?: string
  /** Null until the job has ended. */
  readonly file_locations?: readonly string[] | null
  readonly copied_from?: string
  readonly hierarchy_id?: string
  readonly progress?: { readonly done: number; readonly of: number }
  readonly waiting_for?: string
}

const server = { required: true, readOnly: true } as const
const hidden = { hidden: true, readOnly: true } as const
const time = (about: string) =>
  text({ ...server, nullable: true, format: 'date-time', about: `${about} Null until then.` })

const fields = {
  type: choice(pimJobTypes, { ...server, about: 'What the job does.' }),
  status: choice(statuses, { ...server, about: 'The state of the job. Every job ends.' }),
  started_at: time('When the job started.'),
  completed_at: time('When the job succeeded or failed.'),
  // The request that started the job, and what `meta` shows beside it.
  request_id: text({ ...hidden, required: true }),
  details: field<PimJobDetails | undefined>({ type: 'object' }, hidden),
  // The state from which the next part continues, and the number of errors so far.
  state: field<unknown>({}, hidden),
  refused: integer(hidden),
}

export type PimJobFields = typeof fields
export type PimJobRow = Row<PimJobFields>

export const pimJobs = resource({
  type: 'pim-job',
  noun: ['pim-job', 'pim-jobs'],
  about:
    'Long work on many products, which runs after the response. The jobs of a store run one after the other, in the order in which they were started. A job is deleted 30 days after it ended.',
  path: '/pcm/jobs',
  table: 'pim_jobs',
  fields,
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  area: 'pim-jobs',
  envelope: pimJobEnvelope,
  operations: ['list', 'get'],
  meta: {
    fields: {
      x_request_id: text({ about: 'The id of the request that started the job.' }),
      filter: text({ about: 'Exports only: the filter that selects the products.' }),
      file_locations: list(text({ format: 'uri' }), {
        nullable: true,
        about: 'Exports only: the URLs of the files. Null until the job has ended.',
      }),
      copied_from: text({ format: 'uuid', about: 'Copies only: the id of the hierarchy that is copied.' }),
      hierarchy_id: text({ format: 'uuid', about: 'Copies only: the id of the new hierarchy.' }),
      progress: group(
        { done: integer({ required: true, min: 0 }), of: integer({ required: true, min: 0 }) },
        { about: 'For a job with parts: how many are done, and how many there are.' },
      ),
      waiting_for: text({
        about:
          'Why the job waits for its next try, which comes within a minute. Present only while it waits. The jobs behind it wait too.',
      }),
    },
    of: ({ hidden: { request_id = '', details = {} } }) => ({ x_request_id: request_id, ...details }),
  },
})

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

/** Deletes jobs 30 days after they ended, with their errors. */
export const forgetPimJobs = forgetAfterDays(30, {
  name: 'pim-jobs:forget-pim-jobs',
  every: '41 3 * * *',
  statements: [
    `DELETE FROM ${pimJobs.table} WHERE store_id = $1 AND updated_at < $2
       AND doc->'attributes'->>'status' = ANY($3)`,
  ],
  values: [endStatuses],
})
