import type { ModuleSamples } from '../../support/module-samples.ts'

export const gatewaySamples: ModuleSamples = {
  makers: {
    // Every store has all of them from its first day.
    gateway: async (client) => (await client.get('/v2/gateways/manual')).body.data,
  },
  // Gateways are addressed by their slug.
  sameForAllStores: ['get-gateway', 'update-gateway'],
}
