import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import type { RunningServer } from '../../../server/main.ts'
import { ways } from '../../../tools/doctor-ways.ts'
import type { Client } from '../../support/client.ts'
import { adminOf, key, startHere, stopAfterEach } from '../../support/process.ts'
import { type Pair, startPair } from '../../support/standby.ts'
import { secret } from '../../support/world.ts'

stopAfterEach()

const patience = { timeout: 30_000 }

let pair: Pair

beforeAll(async () => {
  pair = await startPair()
})
afterAll(() => pair.stop())

const serve = async () => {
  const server = await startHere({
    ...key,
    SUTLER_SECRET: secret,
    DATABASE_URL: pair.primary.url,
    SUTLER_REPLICAS: pair.standby.url,
    SUTLER_METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  })
  await expect.poll(() => metric(server, 'sutler_replica_serves'), patience).toBe(1)
  return server
}

/** A metric of the replica. */
async function metric({ metricsUrl }: RunningServer, name: string): Promise<number | undefined> {
  const text = await (await fetch((metricsUrl as string).replace('localhost', '127.0.0.1'))).text()
  const value = new RegExp(`^${name}\\{replica="replica-1"\\} (\\S+)$`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

const readsOf = async (server: RunningServer) => (await metric(server, 'sutler_replica_reads_total')) ?? 0

const account = (name: string) => ({ data: { type: 'account', name } })

/** Creates objects through one process, and reads each at once through the other. */
async function writeAndRead(writer: Client, reader: Client, times: number): Promise<void> {
  const first = (await reader.get('/v2/accounts')).body.meta.results.total
  for (let i = 1; i <= times; i++) {
    const created = await writer.post('/v2/accounts', account(`written ${i}`))
    const { id } = created.body.data
    const [found, listed] = await Promise.all([
      reader.get(`/v2/accounts/${id}`),
      reader.get('/v2/accounts?page[limit]=1'),
    ])
    expect([i, found.status, found.body.data?.id]).toEqual([i, 200, id])
    expect(listed.body.meta.results.total).toBe(first + i)
    expect((await writer.put(`/v2/accounts/${id}`, account(`changed ${i}`))).status).toBe(200)
    expect((await reader.get(`/v2/accounts/${id}`)).body.data.name).toBe(`changed ${i}`)
  }
}

/** What doctor says of the replica. */
async function diagnose({ instance }: RunningServer) {
  const env = { DATABASE_URL: pair.primary.url, SUTLER_REPLICAS: pair.standby.url }
  return (await ways(instance.database, readConfig(env))).find(({ subject }) => subject === 'replica 1')
}

/** Reads until told to stop; returns how many reads have failed. */
function keepReading(clients: readonly Client[], path: string) {
  let isOver = false
  const failures: unknown[] = []
  let count = 0
  const readers = clients.map(async (client) => {
    while (!isOver) {
      const { status, body } = await client.get(path)
      count += 1
      if (status !== 200) failures.push(body)
    }
  })
  return {
    count: () => count,
    async end() {
      isOver = true
      await Promise.all(readers)
      return failures
    },
  }
}

const serves = (server: RunningServer) => expect.poll(() => metric(server, 'sutler_replica_serves'), patience)

describe('a read replica', { timeout: 120_000 }, () => {
  test('serves reads of one process, which see what another one has written just before', async () => {
    const [a, b] = await Promise.all([serve(), serve()])
    const [writer, reader] = await Promise.all([adminOf(a.url), adminOf(b.url)])
    const before = await readsOf(b)
    await writeAndRead(writer, reader, 15)
    expect((await readsOf(b)) - before).toBeGreaterThan(20)
  })

  test('serves whole exports, and pages of a walk that go forwards', async () => {
    const server = await serve()
    const admin = await adminOf(server.url)
    for (let i = 0; i < 5; i++) await admin.post('/v2/accounts', account(`exported ${i}`))
    const { total } = (await admin.get('/v2/accounts')).body.meta.results
    const before = await readsOf(server)
    expect(await diagnose(server)).toMatchObject({ state: 'ok', says: expect.stringContaining('a standby') })
    const lines = await admin.read('/v2/accounts', { accept: 'application/x-ndjson' })
    expect(lines.text.trimEnd().split('\n')).toHaveLength(total)
    expect(await readsOf(server)).toBe(before + 1)
    const seen = new Set<string>()
    let last = 0
    for (let offset = 0; offset < 5; offset++) {
      await admin.post('/v2/accounts', account(`late ${offset}`))
      const { body } = await admin.get(`/v2/accounts?page[limit]=1&page[offset]=${offset}&sort=created_at`)
      expect(body.meta.results.total).toBeGreaterThan(last)
      last = body.meta.results.total
      seen.add(body.data[0].id)
    }
    expect(seen.size).toBe(5)
  })

  test('leaves reads of the feed, and those that write, to the primary', async () => {
    const server = await serve()
    const admin = await adminOf(server.url)
    const { id } = (await admin.post('/v2/accounts', account('followed'))).body.data
    const [{ body: audit }] = await Promise.all([admin.get('/v2/audit?page[limit]=1')])
    expect(audit.data[0].object.id).toBe(id)
    const related = `/v2/personal-data/related-data-entries?filter=eq(resource_type,account):eq(resource_id,${id})`
    expect((await admin.get(related)).status).toBe(200)
    // On a busy machine it may have been late for a moment.
    await serves(server).toBe(1)
  })

  test('that is behind is left out until it has caught up, and no read is old', async () => {
    const [a, b] = await Promise.all([serve(), serve()])
    const [writer, reader] = await Promise.all([adminOf(a.url), adminOf(b.url)])
    await pair.standby.sql('SELECT pg_wal_replay_pause()')
    await writeAndRead(writer, reader, 5)
    await serves(b).toBe(0)
    await pair.standby.sql('SELECT pg_wal_replay_resume()')
    await serves(b).toBe(1)
    // It applies each commit late: some reads wait, and others go elsewhere.
    await pair.standby.sql("ALTER SYSTEM SET recovery_min_apply_delay = '15ms'")
    await pair.standby.sql('SELECT pg_reload_conf()')
    await writeAndRead(writer, reader, 10)
    await pair.standby.sql('ALTER SYSTEM RESET recovery_min_apply_delay')
    await pair.standby.sql('SELECT pg_reload_conf()')
    await serves(b).toBe(1)
  })

  test('that hangs, is killed or starts again loses no request', async () => {
    const server = await serve()
    const admin = await adminOf(server.url)
    await admin.post('/v2/accounts', account('read'))
    for (const fault of ['SIGSTOP', 'SIGKILL'] as const) {
      const reading = keepReading(
        [admin, admin, admin],
        '/v2/accounts?filter=ge(created_at,2020-01-01T00:00:00Z)',
      )
      await expect.poll(reading.count, patience).toBeGreaterThan(10)
      pair.standby.signal(fault)
      await serves(server).toBe(0)
      const before = reading.count()
      await expect.poll(reading.count, patience).toBeGreaterThan(before + 10)
      if (fault === 'SIGSTOP') pair.standby.signal('SIGCONT')
      else await pair.standby.startAgain()
      expect(await reading.end()).toEqual([])
      if (fault === 'SIGSTOP') await serves(server).toBe(1)
    }
  })

  test('that is promoted is left out for good, whatever is written there', async () => {
    const server = await serve()
    const admin = await adminOf(server.url)
    const { id } = (await admin.post('/v2/accounts', account('of the primary'))).body.data
    expect((await admin.get(`/v2/accounts/${id}`)).status).toBe(200)
    await pair.standby.sql('SELECT pg_promote()')
    await pair.standby.sql('DELETE FROM accounts')
    for (let i = 0; i < 20; i++) expect((await admin.get(`/v2/accounts/${id}`)).status).toBe(200)
    await serves(server).toBe(0)
    expect(await diagnose(server)).toMatchObject({ state: 'fault', says: 'it is no standby (any more)' })
  })
})
