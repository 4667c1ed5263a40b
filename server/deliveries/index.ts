import { module } from '../kernel/module.ts'
import { integrationJobs } from './integration-jobs.ts'
import { integrationLogs, logsOfIntegration, logsOfJob } from './integration-logs.ts'
import { listIntegrationJobs, listIntegrationLogs, listJobLogs, listStoreLogs } from './list-deliveries.ts'

export const deliveries = module({
  name: 'deliveries',
  about: 'The events that integrations were sent, and how that went.',
  resources: [integrationJobs, integrationLogs, logsOfIntegration, logsOfJob],
  actions: [listStoreLogs, listIntegrationLogs, listIntegrationJobs, listJobLogs],
})
