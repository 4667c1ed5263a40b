import { randomUUID } from 'node:crypto'
import { spendCodes } from '../../../server/promotions/index.ts'
import type { Client } from '../../support/client.ts'
import type { ModuleSamples, SharedSamples } from '../../support/module-samples.ts'
import { until } from '../../support/until.ts'

type Data = { readonly id: string } & Readonly<Record<string, unknown>>

/** Adds a code, by whatever name, and returns it. */
async function addCode(client: Client, _samples: SharedSamples, collection: string): Promise<Data> {
  const code = `Code-${randomUUID()}`
  await client.post(collection, { data: { type: 'promotion_codes', codes: [{ code, uses: 100 }] } })
  return (await client.get(`${collection}/${code}`)).body.data
}

/** Generates a code, and returns the job that did so. */
async function runJob(client: Client, _samples: SharedSamples, collection: string): Promise<Data> {
  const parameters = { number_of_codes: 1, code_prefix: `${randomUUID().slice(0, 8)}-` }
  const data = { type: 'promotion_job', job_type: 'code_generate', name: 'Sample', parameters }
  const { id } = (await client.post(collection, { data })).body.data
  return until(async () => {
    const jobs: readonly Data[] = (await client.get(`${collection}?page[limit]=100`)).body.data
    return jobs.find((job) => job.id === id && job.status === 'completed')
  })
}

/** Lets an order use a new code of a promotion, or the code in the path. */
async function useCode(client: Client, samples: SharedSamples, collection: string): Promise<Data> {
  const [, , , promotionId = '', , inPath] = collection.split('/')
  const codes = `${collection.split('/').slice(0, 4).join('/')}/codes`
  const code = inPath ? decodeURIComponent(inPath) : String((await addCode(client, samples, codes)).code)
  const order = {
    id: randomUUID(),
    shopper: { customerId: randomUUID(), email: `${randomUUID()}@example.com` },
    at: samples.work.clock.now(),
  }
  await samples.work.transaction((work) => spendCodes(work, [{ promotionId, code, uses: 1 }], order))
  const usages: readonly Data[] = (await client.get(`${collection}?page[limit]=100`)).body.data
  return usages.find(({ order_id }) => order_id === order.id) as Data
}

const anonymization = (kind: string) => async (_client: Client, samples: SharedSamples) => ({
  data: { usage_ids: [(await samples.make(samples.named(`${kind}-usage`))).id] },
})

export const promotionCodeSamples: ModuleSamples = {
  makers: Object.fromEntries(
    ['promotion', 'rule-promotion'].flatMap((kind) => [
      [`${kind}-code`, addCode],
      [`${kind}-job`, runJob],
      [`${kind}-usage`, useCode],
      [`${kind}-code-usage`, useCode],
    ]),
  ),
  bodies: Object.fromEntries(
    ['promotion', 'rule-promotion'].flatMap((kind) => [
      [`create-${kind}-job`, async () => ({ type: 'promotion_job', job_type: 'code_export' })],
      [`anonymize-${kind}-usages`, anonymization(kind)],
    ]),
  ),
  specialCreates: ['promotion-code', 'rule-promotion-code', 'promotion-job', 'rule-promotion-job'],
}
