import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../builders/tools/run-command.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { findPooler, type Pooler, startPooler } from '../../support/pooler.ts'
import { adminOf, key, startHere, stopAfterEach } from '../../support/process.ts'
import { secret } from '../../support/world.ts'

stopAfterEach()

let own: OwnDatabase
let pooler: Pooler | undefined
beforeAll(async () => {
  own = await ownDatabase()
})
afterAll(async () => {
  await pooler?.stop()
  await own.drop()
})

const settings = (url: string) => ({
  ...{ ...key, SUTLER_SECRET: secret },
  ...{ DATABASE_URL: url, SUTLER_DIRECT_DATABASE_URL: own.url },
})

const account = (name: string) => ({ data: { type: 'account', name } })

const usable = findPooler()
const old = findPooler(false)

describe.skipIf(!usable)('behind pgbouncer 1.21 or newer in transaction mode (SUTLER_TEST_PGBOUNCER)', () => {
  beforeAll(async () => {
    // Fewer sessions than a process has connections: each transaction gets any of them.
    pooler = await startPooler(usable as string, inject('postgres'), { default_pool_size: 4 })
  })
  const url = () => pooler?.urlOf(own.name) ?? ''

  test('two processes read and write at once, and jobs run', async () => {
    const servers = await Promise.all([1, 2].map(() => startHere(settings(url()))))
    const admins = await Promise.all(servers.map((server) => adminOf(server.url)))
    const [first] = admins as [(typeof admins)[0]]
    const made = await Promise.all(
      admins.flatMap((admin, n) =>
        [...Array(15).keys()].map(async (i) => {
          const { status, body } = await admin.post('/v2/accounts', account(`${n} ${i}`))
          const { id } = body.data
          const changed = await admin.put(`/v2/accounts/${id}`, account(`changed ${n} ${i}`))
          return [status, changed.status, (await first.get(`/v2/accounts/${id}`)).body.data.name]
        }),
      ),
    )
    for (const [created, changed, name] of made)
      expect([created, changed, name]).toEqual([201, 200, expect.stringContaining('changed')])
    expect((await first.get('/v2/accounts')).body.meta.results.total).toBe(30)
    expect(
      (await first.read('/v2/accounts', { accept: 'application/x-ndjson' })).text.split('\n'),
    ).toHaveLength(31)
    const job = await first.post('/pcm/products/export', undefined)
    expect(job.status).toBe(201)
    await expect
      .poll(async () => (await first.get(`/pcm/jobs/${job.body.data.id}`)).body.data.attributes.status, {
        timeout: 20_000,
      })
      .toBe('success')
  }, 120_000)

  test('statements of a request are planned for no particular value, and the next one has other plans', async () => {
    const { instance } = await startHere(settings(url()))
    const text = "SELECT current_setting('plan_cache_mode')"
    const plans = async (run: typeof instance.database.run) => {
      for (let i = 0; i < 3; i++) await run({ text, values: [] })
      return (await run({ text, values: [] }))[0]?.[0]
    }
    const { database } = instance
    expect(await plans((sql) => database.quick(sql))).toBe('force_generic_plan')
    expect(await plans((sql) => database.transaction((inside) => inside.run(sql)))).toBe('force_generic_plan')
    expect(await plans((sql) => database.quick({ ...sql, page: true }))).toBe('auto')
    expect(await plans((sql) => database.reading(() => new AbortController().signal).run(sql))).toBe('auto')
  })

  test('a statement that could not be prepared may be sent again', async () => {
    const { instance } = await startHere(settings(url()))
    for (const run of ['quick', 'run'] as const)
      for (let i = 0; i < 3; i++) {
        const failing = instance.database[run]({
          text: 'SELECT lost FROM accounts WHERE id = $1',
          values: [null],
        })
        await expect(failing).rejects.toThrow('column "lost" does not exist')
      }
  })

  test('doctor knows its settings', async () => {
    const { stdout } = await run(['doctor', '--json'], settings(url()))
    const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
    const of = (subject: string) => findings.find((one) => one.subject === subject)
    expect(of('pooler')).toMatchObject({ state: 'ok', says: 'it keeps prepared statements' })
    expect(of('pooler sizes')).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('default_pool_size 4'),
    })
    expect(of('direct connection')).toMatchObject({ state: 'ok' })
  })
})

describe.skipIf(!old)('behind pgbouncer before 1.21', () => {
  test('a server does not start, and says why', async () => {
    const before = await startPooler(old as string, inject('postgres'))
    await expect(startHere(settings(before.urlOf(own.name)))).rejects.toThrow(
      'the pooler at DATABASE_URL does not keep prepared statements: use pgbouncer 1.21 or newer',
    )
    await before.stop()
  })
})
