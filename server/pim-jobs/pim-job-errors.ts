import { resource } from '../kernel/declare/resource.ts'
import { text } from '../kernel/shape/fields.ts'
import { pimJobEnvelope } from './envelope.ts'
import { pimJobs } from './pim-jobs.ts'

/** How many errors of one job are kept: the first. */
export const errorsMax = 1000

/** How many characters of one are kept. */
export const messageMax = 1000

/** Why a job failed, or something that it could not do. */
export const pimJobErrors = resource({
  type: 'pim-job-error',
  noun: ['pim-job-error', 'pim-job-errors'],
  about: `Why a job failed, or something that it could not do. The first ${errorsMax} of a job are kept.`,
  path: '/pcm/jobs/:job_id/errors',
  parent: () => pimJobs,
  table: 'pim_job_errors',
  fields: {
    message: text({ required: true, readOnly: true, about: 'For people.' }),
  },
  order: 'created_at',
  whole: true,
  area: 'pim-jobs',
  envelope: { ...pimJobEnvelope, times: 'none', type: 'top' },
  operations: ['list'],
})
