import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../builders/tools/run-command.ts'
import { freePort } from '../support/free-port.ts'
import { type OwnDatabase, ownDatabase } from '../support/own-database.ts'
import { key, newDirectory, serve, stopAfterEach } from '../support/process.ts'
import { until } from '../support/until.ts'
import { secret } from '../support/world.ts'

/** An upgrade as an operator sees it: real processes beside one database. */

stopAfterEach()

let own: OwnDatabase
beforeAll(async () => {
  own = await ownDatabase()
})
afterAll(() => own.drop())

const settings = () => ({
  ...key,
  ...{ DATABASE_URL: own.url, SUTLER_SECRET: secret },
})

test('doctor says each state in a line, and what to do about a fault', async () => {
  await own.sql(`INSERT INTO processes VALUES ('old', '0.0.9', '1000', now() + interval '1 h'),
    ('new', '0.2.0', '2000', now() + interval '1 h')`)
  const { code, stdout } = await run(['doctor', '--json'], { ...settings(), SUTLER_TYPO: '1' })
  const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
  const of = (subject: string) => findings.filter((one) => one.subject === subject)
  expect(of('processes')).toEqual([
    expect.objectContaining({ state: 'warning', says: 'running: 0.0.9 × 1, 0.2.0 × 1' }),
  ])
  // The PostgreSQL of the tests does not flush.
  expect(of('settings').map(({ state }) => state)).toEqual(['fault', 'warning'])
  expect(of('settings')[0]?.says).toContain('fsync')
  expect(code).toBe(1)
  expect(of('migrations')).toEqual([
    { subject: 'migrations', state: 'ok', says: 'all are applied', advice: '' },
  ])
  await own.sql('DELETE FROM processes')
})

test('a plan says what a migration would do, and changes nothing', async () => {
  const last = `DELETE FROM migrations WHERE name = '1130-words-without-digits.sql'`
  await own.sql(last)
  const { code, stdout, stderr } = await run(['migrate', '--plan'], settings())
  expect([code, stderr, stdout]).toEqual([
    0,
    '',
    expect.stringContaining('1130-words-without-digits.sql: expand, rewrite'),
  ])
  expect(stdout).toContain(
    'ROW EXCLUSIVE on published_words (each attempt waits 250 ms; then requests go on)',
  )
  const applied = await run(['migrate', '--json'], settings())
  expect(JSON.parse(applied.stdout)).toMatchObject({
    applied: ['1130-words-without-digits.sql'],
    unfinished: null,
  })
})

test('a job before an upgrade only expands', async () => {
  const { code, stdout } = await run(['migrate', '--expand', '--json'], settings())
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { applied: [] }])
  const wrong = await run(['migrate', '--expand', '--pause'], settings())
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--expand')])
})

test('a start waits while another process migrates, and health checks learn for what', async () => {
  const holder = new pg.Client(own.url)
  await holder.connect()
  await holder.query(
    `SELECT pg_advisory_lock(7305012), set_config('application_name', 'sutler 9001-big.sql', false)`,
  )
  const port = await freePort()
  const server = serve(newDirectory(), { ...settings(), PORT: String(port) })
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  const answer = await until(() => at('/readyz'))
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { status: 'waits for the migration 9001-big.sql, which another process applies' },
  ])
  expect((await at('/healthz'))?.status).toBe(200)
  expect((await at('/v2/accounts'))?.headers.get('retry-after')).toBe('1')
  await holder.end()
  await server.ready
  expect((await at('/readyz'))?.status).toBe(200)
})

test('a server goes on beside an expansion of a newer version, and ends when what it uses is removed', async () => {
  const settle = (step: string) =>
    own.sql(`INSERT INTO migrations VALUES ('9009-${step}.sql', now(), $1)`, [step])
  await settle('expand')
  const server = serve(newDirectory(), settings())
  const url = await server.ready
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await settle('contract')
  expect(await server.exit).toBe(1)
  expect(server.output()).toContain('migrated by a newer version of Sutler (9009-contract.sql)')
  const again = serve(newDirectory(), settings())
  expect(await again.exit).toBe(1)
  expect(again.output()).toContain('start that version')
})
