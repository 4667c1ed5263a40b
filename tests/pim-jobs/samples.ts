import { add } from '../../server/kernel/operations.ts'
import { pimJobErrors } from '../../server/pim-jobs/pim-job-errors.ts'
import { pimJobs as jobs } from '../../server/pim-jobs/pim-jobs.ts'
import type { ModuleSamples } from '../support/module-samples.ts'

/** Jobs that nothing carries out. */
export const pimJobs: ModuleSamples = {
  makers: {
    'pim-job': async (client, { work }, collection) => {
      const fields = {
        type: 'price-import',
        status: 'pending',
        started_at: null,
        completed_at: null,
      } as const
      const { id } = await add(work, jobs, [], { ...fields, request_id: work.requestId })
      return (await client.get(`${collection}/${id}`)).body.data
    },
    'pim-job-error': async (client, { work }, collection) => {
      const [, , , jobId = ''] = collection.split('/')
      const { id } = await add(work, pimJobErrors, [jobId], { message: 'data.attributes.sku: is taken' })
      const { data } = (await client.get(`${collection}?page[limit]=100`)).body
      return data.find((one: { id: string }) => one.id === id)
    },
  },
}
