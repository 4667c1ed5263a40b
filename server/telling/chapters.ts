import { type Module, module, resourcesOf } from '../kernel/module.ts'
import type { Model } from '../kernel/shape/model.ts'
import { listAudit } from './changes/list-audit.ts'
import { listChanges } from './changes/list-changes.ts'
import { deliveryFigures } from './deliveries/delivery-metrics.ts'
import { integrationJobs } from './deliveries/integration-jobs.ts'
import { integrationLogs, logsOfIntegration, logsOfJob } from './deliveries/integration-logs.ts'
import {
  listIntegrationJobs,
  listIntegrationLogs,
  listJobLogs,
  listStoreLogs,
} from './deliveries/list-deliveries.ts'
import { replayEvents } from './deliveries/replay-events.ts'
import { replayIntegration } from './deliveries/replay-integration.ts'
import { sendEvents } from './deliveries/send-events.ts'
import { testIntegration } from './deliveries/test-integration.ts'
import { deleteIntegration, integrations, renewSettings } from './integrations/integrations.ts'

export const integrationChapter = module({
  name: 'integrations',
  about: 'Webhooks and queues that receive events of the store.',
  resources: [integrations],
  actions: [deleteIntegration],
  renewSeals: renewSettings,
})

export const deliveries = module({
  name: 'deliveries',
  about: 'The events that integrations were sent, and how that went.',
  resources: [integrationJobs, integrationLogs, logsOfIntegration, logsOfJob],
  background: [sendEvents],
  figures: deliveryFigures,
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

/** What has changed in a store, for readers who follow it and for auditors. `modules` are all of the server. */
export function changes(modules: () => readonly Module[]): Module {
  let models: ReadonlyMap<string, Model> | undefined
  const modelOf = (table: string) => {
    models ??= new Map(resourcesOf(modules()).map((resource) => [resource.table, resource]))
    return models.get(table)
  }
  return module({
    name: 'changes',
    about: 'What has changed in the store: for readers who follow it, and for audits.',
    actions: [listChanges(modelOf), listAudit(modelOf)],
  })
}
