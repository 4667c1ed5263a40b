import type { ModuleSamples } from '../../support/module-samples.ts'

export const settings: ModuleSamples = {
  parameters: { stores: async (client) => (await client.get('/v2/settings')).body.data.id },
}
