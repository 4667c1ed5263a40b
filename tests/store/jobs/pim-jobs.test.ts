import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { products } from '../../../server/assortment/index.ts'
import { LostRace, Problem } from '../../../server/kernel/errors.ts'
import { module } from '../../../server/kernel/module.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { type PimJob, pimJob, startPimJob } from '../../../server/store/index.ts'
import { forgetPimJobs, pimJobs } from '../../../server/store/jobs/pim-jobs.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Ends when its gate is opened. */
const gates = new Map<string, () => void>()
const begun: string[] = []
const gated = pimJob<string>({
  type: 'product-export',
  run: async (_work, { payload }) => {
    begun.push(payload)
    await new Promise<void>((open) => gates.set(payload, open))
    return { details: { file_locations: [] } }
  },
})

/** Makes products, one in each part; what it is told to throw, it throws once, when it has made the product. */
const throws = new Map<string, unknown[]>()
interface PartsPayload {
  readonly name: string
  readonly parts: number
  readonly errors?: number
}
const inParts = pimJob<PartsPayload, number>({
  type: 'price-import',
  run: async (work, { payload: { name, parts, errors = 0 }, state: done = 0 }) => {
    await add(work, products, [], { name: `${name} ${done}`, commodity_type: 'physical' })
    const error = throws.get(`${name} ${done}`)?.shift()
    if (error) throw error
    return {
      details: { progress: { done: done + 1, of: parts } },
      errors: Array.from({ length: errors }, (_, i) => `row ${done * errors + i}: no good`),
      ...(done + 1 < parts && { next: done + 1 }),
    }
  },
})

/** Tells what it has prepared; each part goes on when all who work on it have prepared it. */
const gathered: (() => void)[] = []
const prepared = pimJob<number, string[], string>({
  type: 'hierarchy-duplicate',
  prepare: async (work, { state = [] }) => {
    if (work.store.inTransaction) throw new Error('it must be outside of the transaction')
    await new Promise<void>((go) => gathered.push(go))
    return `https://files.example.com/part-${state.length}`
  },
  run: async (_work, { payload: parts, state = [], prepared }) => {
    const all = [...state, prepared]
    return all.length < parts ? { next: all } : { details: { file_locations: all } }
  },
})

let world: World
beforeAll(async () => {
  const tests = module({ name: 'tests', about: 'Jobs of the tests.', jobs: [gated, inParts, prepared] })
  world = await openWorld({ modules: [...app, tests] })
})
afterAll(() => world.close())

const ask = async <P>(job: PimJob<P>, payload: P) => (await startPimJob(world.work, job, payload)).id
const jobOf = async (id: string) => (await world.admin.get(`/pcm/jobs/${id}`)).body.data
const statusOf = async (id: string) => (await jobOf(id)).attributes.status
const ended = async (id: string, status: string) =>
  expect.poll(() => statusOf(id), { timeout: 8000 }).toBe(status)
const errorsOf = async (id: string) =>
  (await world.admin.get(`/pcm/jobs/${id}/errors?page[limit]=100`)).body as {
    data: { type: string; attributes: { message: string } }[]
    meta: { results: { total: number } }
  }
const messagesOf = async (id: string) => (await errorsOf(id)).data.map(({ attributes }) => attributes.message)
const listProducts = async (name: string) =>
  (await world.sql(`SELECT name FROM products WHERE name LIKE $1 || ' %' ORDER BY name`, [name])).rows.map(
    (row) => row.name as string,
  )
const opened = async (name: string) => {
  await expect.poll(() => gates.has(name), { timeout: 8000 }).toBe(true)
  gates.get(name)?.()
}

test('jobs of a store run one after the other, and only a pending job can be cancelled', async () => {
  const ids: string[] = []
  for (const name of ['first', 'second', 'third']) ids.push(await ask(gated, name))
  const [first = '', second = '', third = ''] = ids
  await ended(first, 'started')
  const started = await jobOf(first)
  expect(started).toEqual({
    type: 'pim-job',
    id: first,
    attributes: {
      type: 'product-export',
      status: 'started',
      created_at: started.attributes.created_at,
      updated_at: started.attributes.updated_at,
      started_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      completed_at: null,
    },
    meta: { x_request_id: world.work.requestId },
  })
  expect((await jobOf(second)).attributes).toMatchObject({
    status: 'pending',
    started_at: null,
    completed_at: null,
  })

  const cancelled = await world.admin.post(`/pcm/jobs/${second}/cancel`, {})
  expect([cancelled.status, cancelled.body.data.attributes.status]).toEqual([200, 'cancelled'])
  for (const id of [first, second]) {
    const refused = await world.admin.post(`/pcm/jobs/${id}/cancel`, {})
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'unprocessable'])
  }
  await opened('first')
  await ended(first, 'success')
  await opened('third')
  await ended(third, 'success')
  expect(begun).toEqual(['first', 'third'])
  const last = await jobOf(third)
  expect(last.attributes.completed_at >= last.attributes.started_at).toBe(true)
  expect(last.meta.file_locations).toEqual([])
  const { data } = (await world.admin.get('/pcm/jobs')).body
  expect(data.map(({ id }: { id: string }) => id)).toEqual([third, second, first])
})

test('a job runs part by part, shows its progress, and ends as failed if any part had errors', async () => {
  const good = await ask(inParts, { name: 'good', parts: 3 })
  const bad = await ask(inParts, { name: 'bad', parts: 3, errors: 400 })
  await ended(good, 'success')
  await ended(bad, 'failed')
  expect(await listProducts('good')).toEqual(['good 0', 'good 1', 'good 2'])
  expect(await listProducts('bad')).toHaveLength(3)
  expect((await jobOf(good)).meta.progress).toEqual({ done: 3, of: 3 })
  expect((await errorsOf(good)).data).toEqual([])
  const { data, meta } = await errorsOf(bad)
  expect(meta.results.total).toBe(1000)
  expect(data[0]).toMatchObject({ type: 'pim-job-error', attributes: { message: 'row 0: no good' } })
  expect(data.map(({ attributes }) => attributes.message)).toEqual(
    Array.from({ length: 100 }, (_, i) => `row ${i}: no good`),
  )
})

test('a failed part is undone, and the job says why', async () => {
  const taken = new Problem('invalid_field', 'Must be unique amongst products.', {
    source: 'data.attributes.sku',
  })
  throws.set('refused 1', [taken])
  const id = await ask(inParts, { name: 'refused', parts: 3 })
  await ended(id, 'failed')
  expect(await listProducts('refused')).toEqual(['refused 0'])
  expect(await messagesOf(id)).toEqual(['data.attributes.sku: Must be unique amongst products.'])
})

test('an interrupted part is repeated once, and the parts before it are not', async () => {
  // The queue is told to try again as when the database is away; it does so within seconds.
  throws.set('cut 1', [new Problem('unavailable', 'The database cannot be reached.')])
  throws.set('outrun 1', [new LostRace()])
  const names = ['cut', 'outrun']
  const ids = await Promise.all(names.map((name) => ask(inParts, { name, parts: 3 })))
  for (const id of ids) await ended(id, 'success')
  for (const name of names) expect(await listProducts(name)).toEqual([`${name} 0`, `${name} 1`, `${name} 2`])
})

test('a part that two workers prepare at the same time is done once', async () => {
  const id = await ask(prepared, 3)
  await expect.poll(() => gathered.length, { timeout: 8000 }).toBe(1)
  const second = prepared.run(world.work, { jobId: id, payload: 3 })
  await expect.poll(() => gathered.length, { timeout: 8000 }).toBe(2)
  const opening = setInterval(() => {
    for (const go of gathered.splice(0)) go()
  }, 5)
  try {
    await ended(id, 'success')
    await second
    expect((await jobOf(id)).meta.file_locations).toEqual(
      [0, 1, 2].map((part) => `https://files.example.com/part-${part}`),
    )
  } finally {
    clearInterval(opening)
  }
})

test('an ended job does not run again', async () => {
  const id = await ask(inParts, { name: 'once', parts: 1 })
  await ended(id, 'success')
  await inParts.run(world.work, { jobId: id, payload: { name: 'once', parts: 1 } })
  expect(await listProducts('once')).toEqual(['once 0'])
})

test('a waiting job says what it waits for, and does not fail', async () => {
  throws.set('waiting 1', [new Problem('unavailable', 'File storage is not responding.')])
  const id = await ask(inParts, { name: 'waiting', parts: 2 })
  const waiting = async () => (await jobOf(id)).meta.waiting_for
  await expect.poll(waiting, { timeout: 8000 }).toBe('File storage is not responding.')
  expect(await statusOf(id)).toBe('started')
  await ended(id, 'success')
  expect((await jobOf(id)).meta).toEqual({
    progress: { done: 2, of: 2 },
    x_request_id: world.work.requestId,
  })
})

test('a job fails when it is given up, and when it meets a bug', async () => {
  const { id } = await add(world.work, pimJobs, [], {
    ...{ type: 'price-import', status: 'started', started_at: null, completed_at: null, request_id: 'x' },
    details: { waiting_for: 'rain' },
  })
  await inParts.giveUp(world.work, { jobId: id, payload: { name: 'deadly', parts: 1 } }, 'It never rained.')
  expect(await statusOf(id)).toBe('failed')
  expect(await messagesOf(id)).toEqual(['It never rained.'])
  expect((await jobOf(id)).meta.waiting_for).toBe(undefined)

  throws.set('buggy 0', [new TypeError('a secret')])
  const buggy = await ask(inParts, { name: 'buggy', parts: 1 })
  await ended(buggy, 'failed')
  expect(await messagesOf(buggy)).toEqual([
    `There was an internal server error; report it with the request id ${world.work.requestId}.`,
  ])
})

test('jobs are deleted with their errors 30 days after they ended', async () => {
  const old = await ask(inParts, { name: 'old', parts: 1, errors: 1 })
  await ended(old, 'failed')
  const { type, request_id } = { type: 'price-import', request_id: 'x' } as const
  const times = { started_at: null, completed_at: null }
  const { id: waiting } = await add(world.work, pimJobs, [], {
    type,
    request_id,
    ...times,
    status: 'pending',
  })
  const inDays = (days: number) => ({
    ...world.server.instance,
    clock: { now: () => new Date(Date.now() + days * 86_400_000) },
  })
  await forgetPimJobs.run(inDays(29))
  expect(await statusOf(old)).toBe('failed')
  await forgetPimJobs.run(inDays(31))
  expect((await world.admin.get(`/pcm/jobs/${old}`)).status).toBe(404)
  expect((await world.admin.get(`/pcm/jobs/${old}/errors`)).status).toBe(404)
  expect((await world.sql('SELECT FROM pim_job_errors WHERE job_id = $1', [old])).rowCount).toBe(0)
  expect(await statusOf(waiting)).toBe('pending')
})
