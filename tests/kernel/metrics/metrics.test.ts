import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DatabaseFigures, kernelFigures } from '../../../server/kernel/metrics/database-figures.ts'
import { read } from '../../support/source-files.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true, env: { SUTLER_METRICS_PORT: '0' } })
})
afterAll(() => world.close())

async function scrape(): Promise<string> {
  const response = await fetch(world.server.metricsUrl as string)
  const text = await response.text()
  const type = response.headers.get('content-type')
  expect([response.status, type, text]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    text,
  ])
  return text
}

const namesIn = (text: string) => new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))

const sampleOf = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.split(' ')[1])
}

const documented = [...read('docs/metrics.md').matchAll(/^\| `(sutler_\w+)/gm)].map(
  ([, name]) => name as string,
)

test('/metrics has every metric that the documentation lists, and no other', async () => {
  const own = [...namesIn(await scrape())].filter((name) => name?.startsWith('sutler_'))
  expect(documented.length).toBeGreaterThan(25)
  expect(own.toSorted()).toEqual(documented.toSorted())
})

test('the free space for files is known before the first upload', async () => {
  const text = await scrape()
  for (const directory of ['data', 'files'])
    expect(sampleOf(text, `sutler_disk_free_bytes{directory="${directory}"}`)).toBeGreaterThan(0)
})

const packaged = [
  'packaging/prometheus/alerts.yaml',
  ...readdirSync(new URL('../../../packaging/grafana', import.meta.url)).map(
    (name) => `packaging/grafana/${name}`,
  ),
]

test.for(packaged)('%s uses only metrics that exist', async (file) => {
  const names = namesIn(await scrape())
  const used = [...read(file).matchAll(/\b(?:sutler|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, (suffix) => (names.has(name) ? suffix : '')),
  )
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((name) => !names.has(name))).toEqual([])
})

test('the dashboard is JSON, and each of its panels has a query', () => {
  const { panels } = JSON.parse(read('packaging/grafana/sutler.json')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[]
  }
  const without = panels.filter(({ type, targets }) => type !== 'row' && !targets?.every(({ expr }) => expr))
  expect(panels.length).toBeGreaterThan(8)
  expect(without.map(({ title }) => title)).toEqual([])
})

test('each alert has an expression, a summary and what to do', () => {
  const alerts = read('packaging/prometheus/alerts.yaml')
    .split(/^ {6}- alert: /m)
    .slice(1)
  expect(alerts.length).toBeGreaterThan(8)
  for (const alert of alerts) {
    expect(alert).toMatch(/^ {8}expr: \S/m)
    expect(alert).toMatch(/^ {10}summary: \S/m)
    expect(alert).toMatch(/^ {10}description: \S/m)
  }
})

test('requests are counted by operation and status, and refusals by their code', async () => {
  const before = await scrape()
  await world.admin.get('/v2/accounts')
  await world.nobody.get('/v2/accounts')
  await world.admin.get('/v2/nothing-there')
  const series = [
    'sutler_http_requests_total{operation="list-accounts",status="200"}',
    'sutler_http_requests_total{operation="list-accounts",status="401"}',
    'sutler_http_requests_total{operation="none",status="404"}',
    'sutler_http_request_seconds_count{operation="list-accounts"}',
    'sutler_http_refused_total{reason="unauthorized"}',
  ]
  await until(async () => {
    const after = await scrape()
    const more = series.map((one) => (sampleOf(after, one) ?? 0) - (sampleOf(before, one) ?? 0))
    return JSON.stringify(more) === '[1,1,1,2,1]' || undefined
  })
})

test('no metric says which store or caller it is about', async () => {
  const text = await scrape()
  for (const secret of [world.storeId, world.key.id, world.key.secret]) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/store(_id)?="/)
})

test('the metrics are not on the port of the API, and nothing else is on theirs', async () => {
  expect((await fetch(`${world.url}/metrics`)).status).toBe(404)
  const { origin } = new URL(world.server.metricsUrl as string)
  expect((await fetch(`${origin}/v2/accounts`)).status).toBe(404)
  expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405)
})

test('one process computes the figures of the database, and another one has them with their time', async () => {
  const { database, log } = world.server.instance
  await world.sql(`UPDATE database_figures SET leased_until = '-infinity'`)
  const asked: string[] = []
  const figuresOf = (processName: string, value: number) =>
    new DatabaseFigures([{ name: 'sutler_answer', about: '', sql: `SELECT ${value}` }], {
      ...{ processName, log },
      database: {
        run: (sql) => database.run(sql),
        transaction: (work) => {
          asked.push(processName)
          return database.transaction(work)
        },
      },
    })
  const [first, second] = [figuresOf('first', 1), figuresOf('second', 2)]
  await first.pass()
  await second.pass()
  const shown = (some: DatabaseFigures) => some.figures.map((figure) => some.readingsOf(figure))
  expect(asked).toEqual(['first'])
  expect(shown(second)).toEqual([[{ value: 1 }]])
  expect(second.sampledAt).toBe(first.sampledAt)
  expect(Math.abs((first.sampledAt as number) - Date.now() / 1000)).toBeLessThan(60)
  // A process that stops passes its lease on.
  await first.stop()
  await second.pass()
  expect(shown(second)).toEqual([[{ value: 2 }]])
  await second.stop()
})

test('what waits in the database is counted', async () => {
  await world.sql(
    `INSERT INTO long_jobs (store_id, name, author, payload, next_try_at)
    VALUES ($1, 'no such job', 'system', '{}', now() + interval '1 day')`,
    [world.storeId],
  )
  await world.sql(`DELETE FROM database_figures`)
  const { instance } = world.server
  const figures = new DatabaseFigures(kernelFigures, {
    ...{ database: instance.database, processName: 'counting', log: instance.log },
  })
  await figures.pass()
  const value = (name: string) =>
    figures.readingsOf(kernelFigures.find((one) => one.name === name) as (typeof kernelFigures)[number])
  expect(value('sutler_long_jobs_waiting')).toEqual([{ value: 1 }])
  expect(value('sutler_migration')[0]?.value).toBeGreaterThanOrEqual(1160)
  expect(value('sutler_feed_lag_seconds')[0]?.value).toBeGreaterThanOrEqual(0)
  await figures.stop()
})
