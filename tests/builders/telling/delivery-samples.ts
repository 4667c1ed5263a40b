import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { insertJob, insertLog } from './deliveries.ts'

/** The integration and the job that a path names, or others. */
async function parentsIn(client: Client, samples: SharedSamples, collection = '') {
  const [, , , integration, , job] = collection.split('/')
  const named = integration === 'logs' ? undefined : integration
  const integrationId = named ?? (await aIntegration(client, samples))
  return { integrationId, jobId: job ?? (await insertJob(samples.work, integrationId)).id }
}

async function aIntegration(_client: Client, samples: SharedSamples): Promise<string> {
  const specimen = samples.named('integration')
  return (await samples.shared(specimen, specimen.resource.path)).id
}

const makeLog = async (client: Client, samples: SharedSamples, collection: string) => {
  const { integrationId, jobId } = await parentsIn(client, samples, collection)
  return insertLog(samples.work, integrationId, jobId)
}

export const deliverySamples: ModuleSamples = {
  makers: {
    'integration-job': async (client, samples, collection) =>
      insertJob(samples.work, (await parentsIn(client, samples, collection)).integrationId),
    'integration-log': makeLog,
    'log-of-integration': makeLog,
    'log-of-job': makeLog,
  },
  completions: {
    'replay-integration': async () => ({ from_position: 1 }),
  },
  parameters: {
    jobs: async (client, samples) => (await parentsIn(client, samples)).jobId,
  },
}
