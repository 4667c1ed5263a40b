import { module } from '../../kernel/module.ts'
import { integrationJobs } from './integration-jobs.ts'
import { integrationLogs, logsOfIntegration, logsOfJob } from './integration-logs.ts'
import { listIntegrationJobs, listIntegrationLogs, listJobLogs, listStoreLogs } from './list-deliveries.ts'
import { replayEvents } from './replay-events.ts'
import { replayIntegration } from './replay-integration.ts'
import { sendEvents } from './send-events.ts'
import { testIntegration } from './test-integration.ts'

export const deliveries = module({
  name: 'deliveries',
  about: 'The events that integrations were sent, and how that went.',
  resources: [integrationJobs, integrationLogs, logsOfIntegration, logsOfJob],
  background: [sendEvents],
  actions: [
    listStoreLogs,
    listIntegrationLogs,
    listIntegrationJobs,
    listJobLogs,
    testIntegration,
    replayIntegration,
  ],
  jobs: [replayEvents],
})
