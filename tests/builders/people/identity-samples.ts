import type { ModuleSamples } from '../../support/module-samples.ts'

export const identity: ModuleSamples = {
  makers: {
    // Every store has them from its start; the newest realm is that of accounts.
    'authentication-realm': async (client) => (await client.get('/v2/authentication-realms')).body.data[0],
    'merchant-realm-mapping': async (client) => (await client.get('/v2/merchant-realm-mappings')).body.data,
  },
}
