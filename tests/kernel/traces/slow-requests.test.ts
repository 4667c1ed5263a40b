import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true, env: { SUTLER_SLOW_MS: '1', LOG_LEVEL: 'silent' } })
})
afterAll(() => world.close())
afterEach(() => vi.restoreAllMocks())

type Line = Readonly<Record<string, unknown>>

/** The lines that the server logs at a level while `ask` runs, until one has this message. */
async function lineOf(level: 'info' | 'debug', message: string, ask: () => Promise<unknown>): Promise<Line> {
  const { log } = world.server.instance
  const lines: [Line, string][] = []
  vi.spyOn(log, level).mockImplementation(((line: Line, text: string) => lines.push([line, text])) as never)
  vi.spyOn(log, 'isLevelEnabled').mockReturnValue(true)
  await ask()
  return until(async () => lines.find(([, text]) => text === message)?.[0])
}

test('a slow request is one line: its operation, its statements, its waits', async () => {
  const line = await lineOf('info', 'slow request', async () => {
    // The first request of an operation compiles, which takes more than a millisecond.
    await world.admin.get('/v2/accounts')
  })
  expect(line).toMatchObject({
    operation: 'list-accounts',
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ms: expect.any(Number),
    waits_ms: { connection: expect.any(Number), queue: 0, outside: 0 },
  })
  expect(line.ms).toBeGreaterThanOrEqual(1)
  expect(line.statements).toBeGreaterThan(0)
  expect(line.rows).toBeGreaterThan(0)
  expect(line.database_ms).toBeGreaterThan(0)
})

test('at the level debug another line has the plan of its slowest statement, without values', async () => {
  const line = await lineOf('debug', 'the slowest statement of a slow request', () =>
    world.admin.get('/v2/accounts?filter=eq(name,Topsecret)'),
  )
  expect((line.plan as string[]).join('\n')).toMatch(/cost=/)
  expect(JSON.stringify(line)).not.toContain('Topsecret')
})

test('lines of a request in a trace have the id of the trace, also where no traces are sent', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const line = await lineOf('info', 'slow request', () =>
    world.admin.get('/v2/customers', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }),
  )
  expect(line.trace_id).toBe(traceId)
})

test('Prefer: timing says where the time went', async () => {
  const { headers } = await world.admin.get('/v2/accounts', { prefer: 'timing' })
  expect(headers.get('server-timing')).toMatch(
    /^total;dur=[\d.]+, db;dur=[\d.]+;desc="\d+ statements, \d+ rows", connection;dur=[\d.]+, queue;dur=[\d.]+, outside;dur=[\d.]+$/,
  )
})

test('shoppers, and those who do not ask, are not told', async () => {
  const answers = [
    await world.shopper.get('/catalog/products', { prefer: 'timing' }),
    await world.admin.get('/v2/accounts'),
  ]
  expect(answers.map(({ headers }) => headers.get('server-timing'))).toEqual([null, null])
})
