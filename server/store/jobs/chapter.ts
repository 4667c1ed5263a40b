import { module } from '../../kernel/module.ts'
import { cancelPimJob } from './cancel-pim-job.ts'
import { forgetPimJobs } from './forget-pim-jobs.ts'
import { pimJobErrors } from './pim-job-errors.ts'
import { pimJobs } from './pim-jobs.ts'

export const pimJobChapter = module({
  name: 'pim-jobs',
  about: 'Long work on many products, which runs after the response.',
  resources: [pimJobs, pimJobErrors],
  actions: [cancelPimJob],
  chores: [forgetPimJobs],
})
