import { resource } from '../../kernel/declare/resource.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type PimJobRow, pimJobEnvelope, pimJobs } from './pim-jobs.ts'

/** How many errors of one job are stored: the first. */
const errorsMax = 1000

/** How many characters of one are stored. */
const messageMax = 1000

export const pimJobErrors = resource({
  type: 'pim-job-error',
  noun: ['pim-job-error', 'pim-job-errors'],
  about: `Why a job failed, or what it could not do. A job keeps its first ${errorsMax} errors.`,
  path: '/pcm/jobs/:job_id/errors',
  parent: () => pimJobs,
  table: 'pim_job_errors',
  fields: {
    message: text({ required: true, readOnly: true, about: 'A description for people.' }),
  },
  order: 'created_at',
  whole: true,
  area: 'pim-jobs',
  envelope: { ...pimJobEnvelope, times: 'none', type: 'top' },
  operations: ['list'],
})

/** Stores as many of these errors as there is room for. */
export async function addErrors(
  { store }: Work,
  { id, hidden: { refused = 0 } }: PimJobRow,
  errors: readonly string[],
): Promise<void> {
  const stored = errors.slice(0, Math.max(0, errorsMax - refused))
  await store.insertAll(
    pimJobErrors,
    stored.map((message) => ({ scope: [id], values: { message: shorten(message) } })),
  )
}

/** A message may quote a value of any length. */
const shorten = (message: string): string =>
  message.length > messageMax ? `${message.slice(0, messageMax - 1).toWellFormed()}…` : message
