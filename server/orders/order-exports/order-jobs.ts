import { resource } from '../../kernel/declare/resource.ts'
import { choice, text, type Values } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { JobDocument } from '../../store/index.ts'

const statuses = ['PENDING', 'STARTED', 'SUCCESS', 'FAILED'] as const

const server = { readOnly: true } as const

export const jobInput = {
  job_type: choice(['order_export'], { required: true, about: 'Exports orders to a CSV file.' }),
  name: text({ max: 255, about: 'A name for people.', example: 'Orders of May' }),
  filter: text({
    max: 16_384,
    about: 'Which orders, as `filter` of the list of orders. All of them by default.',
    example: 'eq(status,complete)',
  }),
}

const fields = {
  ...jobInput,
  status: choice(statuses, { ...server, default: 'PENDING', about: 'The state of the job.' }),
  started_at: text({ ...server, format: 'date-time', about: 'When the job began.' }),
  completed_at: text({ ...server, format: 'date-time', about: 'When the job ended.' }),
  result: text({ ...server, about: 'Why the job failed.' }),
  waiting_for: text({ ...server, hidden: true }),
  file_id: text({ ...server, hidden: true }),
}

export type OrderJobFields = typeof fields
type JobValues = Values<OrderJobFields>

export interface JobDetails {
  readonly file_id: string
}

/** Exports orders. */
export const orderJobs = resource({
  type: 'job',
  noun: ['order-job', 'order-jobs'],
  about:
    'Exports orders to a CSV file. The jobs of a store run one after the other. A job is deleted a week after it ended.',
  path: '/v2/jobs',
  table: 'order_jobs',
  fields,
  operations: ['list', 'get'],
  filter: walks,
  sort: ['created_at', 'id'],
  whole: true,
  area: 'order-exports',
  envelope: { times: 'fields', digits: 3, fields: 'top', links: 'own', href: 'absolute' },
})

/** A job shows itself. */
export const orderJobDocument: JobDocument<OrderJobFields, JobDetails> = {
  resource: orderJobs,
  read: ({ doc: { status }, hidden: { waiting_for } }) => ({
    phase: status === 'PENDING' ? 'pending' : status === 'STARTED' ? 'started' : 'ended',
    waitingFor: waiting_for,
    errorCount: 0,
  }),
  show: (_row, event) => {
    if (event.is === 'waiting') return { waiting_for: event.reason } as Partial<JobValues>
    const details = 'details' in event ? event.details : undefined
    const shown = { ...details, waiting_for: undefined }
    if (event.is === 'started') return { ...shown, status: 'STARTED', started_at: event.at }
    if (event.is === 'part done') return shown
    return { ...shown, status: event.isSuccess ? 'SUCCESS' : 'FAILED', completed_at: event.at }
  },
  addErrors: async (work, { id }, [error]) => {
    if (error) await change(work, orderJobs, [], id, { result: error.slice(0, 1000).toWellFormed() })
  },
}
