import { setTimeout } from 'node:timers/promises'
import type { ModuleSamples } from '../../support/module-samples.ts'

export const pimJobs: ModuleSamples = {
  makers: {
    // One that has failed, so that there are errors of it: the names of options are no part of a slug.
    'pim-job': async (client, samples, collection) => {
      const product = await samples.make(samples.named('product'), undefined, { slug: `s${Math.random()}` })
      const variation = await samples.make(samples.named('product-variation'))
      const options = `${variation.path}/options`
      await samples.make(samples.named('product-variation-option'), options, { name: 'not for a URL' })
      const data = [{ type: 'product-variation', id: variation.id }]
      await client.post(`${product.path}/relationships/variations`, { data })
      let job = (await client.post(`${product.path}/build`, {})).body.data
      for (let attempt = 0; job.attributes.status !== 'failed' && attempt < 200; attempt++) {
        await setTimeout(50)
        job = (await client.get(`${collection}/${job.id}`)).body.data
      }
      return job
    },
    'pim-job-error': async (client, _samples, collection) => (await client.get(collection)).body.data[0],
  },
}
