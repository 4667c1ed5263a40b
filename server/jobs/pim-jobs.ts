import { resource } from '../kernel/declare/resource.ts'
import { choice, field, group, integer, list, text } from '../kernel/shape/fields.ts'
import { type Row, walks } from '../kernel/shape/model.ts'
import { pimJobEnvelope } from './pim-job-envelope.ts'

export const pimJobTypes = [
  'child-products',
  'product-import',
  'product-export',
  'hierarchy-duplicate',
  'price-import',
] as const

export type PimJobType = (typeof pimJobTypes)[number]

const statuses = ['pending', 'started', 'success', 'failed', 'cancelled'] as const

/** Those that a job ends in. */
export const endings: readonly string[] = ['success', 'failed', 'cancelled']

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
  type: choice(pimJobTypes, { ...server, about: 'What is done.' }),
  status: choice(statuses, { ...server, about: 'How far it is. A job always ends.' }),
  started_at: time('When it was begun.'),
  completed_at: time('When it had succeeded or failed.'),
  // Which request asked for it, and what it tells beside that.
  request_id: text({ ...hidden, required: true }),
  told: field<PimJobDetails | undefined>({ type: 'object' }, hidden),
  // What the next part goes on from, see pim-job.ts.
  state: field<unknown>({}, hidden),
  refused: integer(hidden),
}

export type PimJobFields = typeof fields
export type PimJobRow = Row<PimJobFields>

/** Work on many products that goes on after its request was answered. A store's are carried out one after the other. */
export const pimJobs = resource({
  type: 'pim-job',
  noun: ['pim-job', 'pim-jobs'],
  about:
    'Work on many products that goes on after its request was answered. Those of a store are carried out one after the other, in the order that they were asked for. One that has ended is kept for 30 days.',
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
      x_request_id: text({ about: 'The request that asked for it.' }),
      filter: text({ about: 'Of an export: which products.' }),
      file_locations: list(text({ format: 'uri' }), {
        nullable: true,
        about: 'Of an export: where its files are. Null until it has ended.',
      }),
      copied_from: text({ format: 'uuid', about: 'Of a copy: the hierarchy that is copied.' }),
      hierarchy_id: text({ format: 'uuid', about: 'Of a copy: the new hierarchy.' }),
      progress: group(
        { done: integer({ required: true, min: 0 }), of: integer({ required: true, min: 0 }) },
        { about: 'Where it goes part by part: how much is done, of how much.' },
      ),
      waiting_for: text({
        about:
          'Why the job waits before it is tried again, a minute later at most. Only while it waits; the jobs behind it wait, too.',
      }),
    },
    of: ({ hidden: { request_id = '', told = {} } }) => ({ x_request_id: request_id, ...told }) as never,
  },
})
