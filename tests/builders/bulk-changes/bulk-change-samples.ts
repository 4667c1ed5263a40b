import { randomUUID } from 'node:crypto'
import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { until } from '../../support/until.ts'

type Data = { readonly id: string } & Readonly<Record<string, unknown>>

const values = () => ({
  list: '/pcm/products',
  filter: '',
  ids: [randomUUID()],
  patch: { attributes: { name: 'A sample' } },
  adjust: undefined,
})

/** One that has ended, and has refused an object that nobody has. */
async function runBulkChange(client: Client): Promise<Data> {
  const { body } = await client.post('/v2/bulk-changes', { data: { type: 'bulk_change', ...values() } })
  return until(async () => {
    const { data } = (await client.get(`/v2/bulk-changes/${body.data.id}`)).body
    return data.status === 'success' ? data : undefined
  })
}

const refusalIn = async (client: Client, _samples: SharedSamples, collection: string): Promise<Data> =>
  (await client.get(collection)).body.data[0]

export const bulkChangeSamples: ModuleSamples = {
  makers: { 'bulk-change': runBulkChange, 'bulk-change-refusal': refusalIn },
  specialCreates: ['bulk-change'],
  bodies: { 'create-bulk-change': async () => ({ data: { type: 'bulk_change', ...values() } }) },
}
