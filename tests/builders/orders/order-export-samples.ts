import type { ModuleSamples } from '../../support/module-samples.ts'
import { until } from '../../support/until.ts'
import { order } from './buying.ts'

export const orderExportSamples: ModuleSamples = {
  makers: {
    'order-job': async (client) => {
      await order(client)
      const { body } = await client.post('/v2/jobs', { data: { type: 'job', job_type: 'order_export' } })
      return until(async () => {
        const { data } = (await client.get(`/v2/jobs/${body.data.id}`)).body
        return data.status === 'SUCCESS' ? data : undefined
      })
    },
  },
  completions: { 'order-job': async () => ({ filter: 'eq(status,incomplete)' }) },
  specialCreates: ['order-job'],
}
