import type { ModuleSamples } from '../../support/module-samples.ts'

export const settings: ModuleSamples = {
  // Made-up texts are no time zones.
  completions: { settings: async () => ({ time_zone: 'Europe/Berlin' }) },
  parameters: { stores: async (client) => (await client.get('/v2/settings')).body.data.id },
}
