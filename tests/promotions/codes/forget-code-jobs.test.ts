import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetCodeJobs } from '../../../server/promotions/generation/promotion-jobs.ts'
import { kinds, makePromotion } from '../../builders/promotions/codes.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const dayMs = 86_400_000
const inDays = (days: number) => ({
  ...world.server.instance,
  clock: { now: () => new Date(Date.now() + days * dayMs) },
})

test.each(kinds)('jobs of %s are deleted 30 days after they ended, and their codes stay', async (kind) => {
  const promotion = await makePromotion(world.admin, kind)
  const parameters = { number_of_codes: 2 }
  const data = { type: 'promotion_job', job_type: 'code_generate', parameters }
  await world.admin.post(`${promotion}/jobs`, { data })
  const total = async (list: string) =>
    (await world.admin.get(`${promotion}/${list}`)).body.meta.results.total
  await until(async () => {
    const [job] = (await world.admin.get(`${promotion}/jobs`)).body.data
    return job?.status === 'completed' ? true : undefined
  })
  await forgetCodeJobs.run(inDays(29))
  expect(await total('jobs')).toBe(1)
  await forgetCodeJobs.run(inDays(31))
  expect([await total('jobs'), await total('codes')]).toEqual([0, 2])
})
