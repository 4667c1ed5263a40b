import { module } from '../kernel/declare/module.ts'
import { cancelPimJob } from './cancel-pim-job.ts'
import { forgetPimJobs } from './forget-pim-jobs.ts'
import { pimJobErrors } from './pim-job-errors.ts'
import { pimJobs as jobs } from './pim-jobs.ts'

export { type PimJob, pimJob } from './pim-job.ts'
export { startJob } from './start-job.ts'
export { jobs as pimJobs }

export const pimJobChapter = module({
  name: 'pim-jobs',
  about: 'Work on many products that goes on after its request was answered.',
  resources: [jobs, pimJobErrors],
  actions: [cancelPimJob],
  chores: [forgetPimJobs],
})
