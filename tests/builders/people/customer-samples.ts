import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'

const password = 'eleven horses by the river'

async function customerCredentials(_client: Client, samples: SharedSamples) {
  const { body } = await samples.make(samples.named('customer'), undefined, { password })
  return { data: { type: 'token', email: body.data.email, password } }
}

export const customers: ModuleSamples = {
  // The store's settings say which of its fields must be given.
  needsAllFields: ['customer-address'],
  bodies: { 'create-customer-token': customerCredentials },
  signIns: {
    customer: async (client, samples) => {
      const credentials = await customerCredentials(client, samples)
      return (await client.post('/v2/customers/tokens', credentials)).body.data.token
    },
  },
}
