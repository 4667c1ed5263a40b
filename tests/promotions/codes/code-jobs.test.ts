import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCodes, idIn, kinds, makePromotion, newCode, units } from '../../builders/promotions/codes.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

interface Job {
  readonly id: string
  readonly status: string
  readonly result?: { readonly generated: number; readonly deleted?: number }
  readonly error?: string
}

const start = (promotion: string, parameters: object) =>
  world.admin.post(`${promotion}/jobs`, {
    data: { type: 'promotion_job', job_type: 'code_generate', name: 'Spring', parameters },
  })

const startExport = (promotion: string) =>
  world.admin.post(`${promotion}/jobs`, { type: 'promotion_job', job_type: 'code_export' })

/** The job when it has this status. */
const jobWhen = (promotion: string, id: string, ...statuses: readonly string[]): Promise<Job> =>
  until(async () => {
    const jobs: readonly Job[] = (await world.admin.get(`${promotion}/jobs`)).body.data
    return jobs.find((job) => job.id === id && statuses.includes(job.status))
  })

const ended = ['completed', 'failed', 'cancelled']

const countOf = async (promotion: string): Promise<number> =>
  (await world.admin.get(`${promotion}/codes?page[limit]=1`)).body.meta.results.total

describe.each(kinds)('jobs of %s', (kind) => {
  const [perOrder, perThing] = units[kind]

  test('generate codes of the requested form', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const parameters = {
      number_of_codes: 3,
      max_uses_per_code: 2,
      consume_unit: perThing,
      code_prefix: 'SUMMER-',
      code_length: 10,
    }
    const { status, body } = await start(promotion, parameters)
    expect(status).toBe(201)
    const idField = kind === 'promotions' ? 'promotion_id' : 'rule_promotion_id'
    expect(body.data).toMatchObject({
      ...{ type: 'promotion_job', job_type: 'code_generate', name: 'Spring', status: 'pending', parameters },
      [idField]: idIn(promotion),
    })
    const job = await jobWhen(promotion, body.data.id, ...ended)
    expect(job).toMatchObject({ status: 'completed', result: { generated: 3 } })
    const codes = (await world.admin.get(`${promotion}/codes`)).body.data
    expect(codes.length).toBe(3)
    for (const code of codes) {
      expect(code.code).toMatch(/^SUMMER-[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{2}$/)
      expect(code).toMatchObject({ uses: 2, max_uses: 2, consume_unit: perThing })
    }
  })

  test('generate codes without a limit that are used up once for each order, unless the request says more', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const { body } = await start(promotion, { number_of_codes: 1 })
    await jobWhen(promotion, body.data.id, 'completed')
    const [code] = (await world.admin.get(`${promotion}/codes`)).body.data
    expect(code).toMatchObject({
      consume_unit: perOrder,
      code: expect.stringMatching(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/),
    })
    expect(code).not.toHaveProperty('max_uses')
  })

  test('are one at a time for each promotion, and more follow', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => start(promotion, { number_of_codes: 300 })),
    )
    const [started, ...others] = replies.toSorted((one, other) => one.status - other.status)
    expect(started?.status).toBe(201)
    for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
      expect([status, body.errors[0].title]).toEqual([400, 'Too many jobs'])
    }
    expect(others.some(({ status }) => status === 400)).toBe(true)
  })

  test('fail where the promotion has no room, and leave no code', async () => {
    const promotion = await makePromotion(world.admin, kind, { end: '2030-01-01' })
    await addCodes(world.admin, promotion, { code: newCode() })
    const { body } = await start(promotion, { number_of_codes: 1000 })
    const job = await jobWhen(promotion, body.data.id, ...ended)
    expect(job).toMatchObject({ status: 'failed', error: 'codes limit exceeded' })
    expect(await countOf(promotion)).toBe(1)
    const tooMany = await start(promotion, { number_of_codes: 1001 })
    expect([tooMany.status, tooMany.body.errors[0].source]).toEqual([400, 'data.parameters.number_of_codes'])
  })

  test('are cancelled while they generate codes, and delete what they have generated', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const { body } = await start(promotion, { number_of_codes: 100_000 })
    const jobs = `${promotion}/jobs`
    await until(async () => ((await countOf(promotion)) ? true : undefined))
    const cancelled = await world.admin.post(`${jobs}/${body.data.id}/cancel`)
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelling'])
    const { status, result } = await jobWhen(promotion, body.data.id, ...ended)
    expect(status).toBe('cancelled')
    expect(result?.generated).toBeGreaterThan(0)
    expect(result?.deleted).toBe(result?.generated)
    expect(await countOf(promotion)).toBe(0)
    const again = await world.admin.post(`${jobs}/${body.data.id}/cancel`)
    expect([again.status, again.body.errors[0].detail]).toEqual([
      422,
      'Only pending or processing jobs can be cancelled.',
    ])
  })

  test('are cancelled before they begin', async () => {
    const [busy, idle] = [await makePromotion(world.admin, kind), await makePromotion(world.admin, kind)]
    const first = (await start(busy, { number_of_codes: 100_000 })).body.data.id
    const second = (await start(idle, { number_of_codes: 10 })).body.data.id
    const cancelled = await world.admin.post(`${idle}/jobs/${second}/cancel`)
    expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'cancelled'])
    await world.admin.post(`${busy}/jobs/${first}/cancel`)
    await jobWhen(busy, first, ...ended)
    const next = (await start(idle, { number_of_codes: 1 })).body.data.id
    await jobWhen(idle, next, 'completed')
    expect(await countOf(idle)).toBe(1)
  })

  test('are filtered by their type and status', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const { id } = (await start(promotion, { number_of_codes: 1 })).body.data
    await jobWhen(promotion, id, 'completed')
    const exported = (await startExport(promotion)).body.data.id
    await jobWhen(promotion, exported, 'completed')
    const found = async (filter: string) =>
      (await world.admin.get(`${promotion}/jobs?filter=${filter}`)).body.data.map((job: Job) => job.id)
    expect(await found('eq(job_type,code_export)')).toEqual([exported])
    expect(await found('eq(status,complete)')).toEqual([exported, id])
    expect(await found('eq(status,completed)')).toEqual([exported, id])
    expect(await found('eq(status,failed)')).toEqual([])
  })

  test('export all codes to a file that anyone with the link can read', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const codes = Array.from({ length: 999 }, (_, i) => ({ code: `${newCode()}-${i}` }))
    await addCodes(world.admin, promotion, ...codes)
    const quoted = { code: `"${newCode()}", ü`, uses: 7, user: ['ann@example.com', 'ben@example.com'] }
    await addCodes(world.admin, promotion, quoted, { code: newCode() })
    const { status, body } = await startExport(promotion)
    expect(status).toBe(201)
    const job = await jobWhen(promotion, body.data.id, 'completed')
    expect(job).not.toHaveProperty('parameters')
    expect(job).not.toHaveProperty('result')
    const { href } = (await world.admin.get(`${promotion}/jobs/${job.id}/file`)).body
    const file = await fetch(href)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const [header, ...lines] = (await file.text()).trimEnd().split('\r\n')
    expect(header).toBe('code,uses,user,consume_unit,created_at')
    expect(lines.length).toBe(1001)
    const line = lines.find((one) => one.includes('ann@example.com'))
    const [, text = ''] =
      /^"((?:[^"]|"")*)",7,"ann@example\.com,ben@example\.com",\w+,20\S+Z$/.exec(line ?? '') ?? []
    expect(text.replaceAll('""', '"')).toBe(quoted.code)
    expect(new Set(lines.map((one) => one.split(',')[0])).size).toBe(1001)
  })

  test('that generate codes have no file', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const { id } = (await start(promotion, { number_of_codes: 1 })).body.data
    await jobWhen(promotion, id, 'completed')
    const { status, body } = await world.admin.get(`${promotion}/jobs/${id}/file`)
    expect([status, body.errors[0].detail]).toEqual([
      422,
      'Job has no file to download. Job status: completed',
    ])
  })

  test('generate no codes for automatic promotions', async () => {
    const promotion = await makePromotion(world.admin, kind, { automatic: true })
    const { status, body } = await start(promotion, { number_of_codes: 1 })
    expect([status, body.errors[0].title]).toEqual([422, 'No codes allowed'])
  })
})
