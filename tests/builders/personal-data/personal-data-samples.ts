import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ModuleSamples } from '../../support/module-samples.ts'

const aboutSomeone = '?filter=eq(resource_type,customer):eq(resource_id,00000000-0000-7000-8000-000000000000)'

export const personalData: ModuleSamples = {
  makers: {
    'erasure-request': async (client, _samples, collection) => {
      const data = { type: 'erasure_request', resource_type: 'customer', resource_id: randomUUID() }
      let entry = (await client.post(collection, { data })).body.data
      for (let attempt = 0; entry.status === 'CREATED' && attempt < 100; attempt++) {
        await setTimeout(50)
        entry = (await client.get(`${collection}/${entry.id}`)).body.data
      }
      return entry
    },
  },
  specialCreates: ['erasure-request'],
  queries: {
    'list-personal-data-logs': aboutSomeone,
    'list-related-data-entries': aboutSomeone,
    'list-erasure-requests': aboutSomeone,
  },
}
