import type { Client } from '../support/client.ts'
import type { ModuleSamples } from '../support/module-samples.ts'

const label = { type: 'label', words: 'This side up', loose: true }

/** The path of a label on a crate of its own. */
async function labelPath(client: Client): Promise<string> {
  const crate = await client.post('/v2/crates', { data: { type: 'crate' } })
  const path = `/v2/crates/${crate.body.data.id}/sides/top/labels`
  return `${path}/${(await client.post(path, { data: label })).body.data.id}`
}

export const workshopSamples: ModuleSamples = {
  parameters: { sides: async () => 'top' },
  paths: {
    'get-crate-label': labelPath,
    'create-crate-label': async (client) => (await labelPath(client)).replace(/\/[^/]+$/, ''),
    'update-crate-label': labelPath,
    'delete-crate-label': labelPath,
    'add-crate-labels': async (client) => (await labelPath(client)).replace(/\/sides.*/, '/labels'),
    'delete-crate-labels': async (client) => (await labelPath(client)).replace(/\/sides.*/, '/labels'),
  },
  bodies: { 'add-crate-labels': async () => ({ data: [{ side: 'top', words: 'This side up' }] }) },
}
