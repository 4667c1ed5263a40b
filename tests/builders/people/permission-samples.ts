import type { Client } from '../../support/client.ts'
import type { ModuleSamples } from '../../support/module-samples.ts'

const aRole = async (client: Client) =>
  (await client.get('/v2/permissions/built-in-roles')).body.data[0].id as string

export const permissions: ModuleSamples = {
  parameters: { 'built-in-roles': aRole },
  completions: {
    'custom-api-role-policy': async (client, samples) => {
      const { id } = await samples.make(samples.named('custom-api'))
      const relationships = {
        custom_api: { data: { type: 'custom_api', id } },
        role: { data: { type: 'built_in_role', id: await aRole(client) } },
      }
      return { relationships }
    },
  },
  sameForAllStores: ['get-built-in-role'],
}
