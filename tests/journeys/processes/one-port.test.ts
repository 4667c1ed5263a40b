import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { addColleague, signInAs } from '../../builders/people/colleagues.ts'
import type { Client, Reply } from '../../support/client.ts'
import { tokenOf } from '../../support/client.ts'
import { isLong, some } from '../../support/long.ts'
import {
  adminOf,
  key,
  newDirectory,
  type Process,
  serve,
  startedDirectory,
  stop,
} from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { beginTraffic, isAlive, missingOf, overNew, pidsOf, replaced } from './crew.ts'

/** Three processes on one port, with the PostgreSQL that comes along. */
let server: Process
let url: string
let admin: Client
const directory = startedDirectory()
const settingsFile = join(newDirectory(), 'sutler.env')
const settings = {
  ...key,
  SUTLER_PROCESSES: '3',
  SUTLER_CONFIG: settingsFile,
  LOG_LEVEL: 'info',
  SUTLER_METRICS_PORT: '0',
}
const soakMs = isLong ? 600_000 : 0
/** In the soak a process is killed so often. */
const killEveryMs = 60_000
/** On a machine with much other work. */
const restartMaxMs = 600_000

beforeAll(async () => {
  writeFileSync(settingsFile, '')
  server = serve(directory, settings)
  url = await server.ready
  admin = await adminOf(url)
})
afterAll(() => stop(server.child))

/** Two requests for each process. */
const asAll = async (ask: () => Promise<Reply>): Promise<readonly Reply[]> => {
  const replies: Reply[] = []
  for (let i = 0; i < 6; i++) replies.push(await ask())
  return replies
}
const statuses = async (ask: () => Promise<Reply>) => (await asAll(ask)).map(({ status }) => status)
const all = (status: number) => Array(6).fill(status)

test('all of them serve, and one request of metrics shows each', async () => {
  expect(pidsOf(server).size).toBe(3)
  expect(new Set(pidsOf(server).values()).size).toBe(3)
  expect(await statuses(() => overNew(url).get('/readyz'))).toEqual(all(200))
  const [, metrics = ''] = /metrics at ([^"]+)/.exec(server.output()) ?? []
  const shown = await (await fetch(metrics)).text()
  expect([...shown.matchAll(/^sutler_build_info\{.*process="(\d)"\} 1$/gm)].map(([, slot]) => slot)).toEqual([
    ...['1', '2', '3'],
  ])
})

test('settings, definitions, keys and the ends of sessions reach every process within a second', async () => {
  const fresh = overNew(url, admin.token)
  await asAll(() => fresh.get('/v2/accounts'))
  for (const page_length of [7, 25]) {
    await admin.put('/v2/settings', { data: { type: 'settings', page_length } })
    for (const { body } of await asAll(() => fresh.get('/v2/accounts')))
      expect(body.meta.page.limit).toBe(page_length)
  }

  const api = await makeApi(admin, { title: ['string'] })
  expect(await statuses(() => fresh.post(api.entries, api.entry({ title: 'A' })))).toEqual(all(201))
  expect((await api.addField('grade', 'integer', { min_value: 3 })).status).toBe(201)
  expect(await statuses(() => fresh.post(api.entries, api.entry({ title: 'B', grade: 4 })))).toEqual(all(201))
  expect(await statuses(() => fresh.post(api.entries, api.entry({ title: 'C', grade: 1 })))).toEqual(all(400))

  const passing = await admin.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Passing' },
  })
  const { client_id, client_secret, id } = passing.body.data
  const withKey = overNew(url, await tokenOf(url, client_id, client_secret, 'client_credentials'))
  const storeId = (await admin.get('/v2/settings')).body.data.id
  const colleague = await addColleague(admin, 'Store Admin')
  const signedIn = await signInAs({ nobody: overNew(url), storeId }, colleague.email)
  const withSession = overNew(url, signedIn.body.data.token)
  for (const client of [withKey, withSession])
    expect(await statuses(() => client.get('/v2/settings'))).toEqual(all(200))
  expect((await admin.delete(`/v2/application-keys/${id}`)).status).toBe(204)
  expect((await withSession.delete(`/v2/colleague-sessions/${signedIn.body.data.session_id}`)).status).toBe(
    204,
  )
  await sleep(1000)
  for (const client of [withKey, withSession])
    expect(await statuses(() => client.get('/v2/settings'))).toEqual(all(401))
})

test('each may be killed in writes: the others serve, it comes back, and nothing acknowledged is lost', async () => {
  const traffic = await beginTraffic(url)
  for (const [slot, pid] of some(1, [...pidsOf(server)])) {
    // Connections that it has been sent, and has not taken, go to another one.
    process.kill(pid, 'SIGSTOP')
    const replies = Promise.all(Array.from({ length: 6 }, () => overNew(url).get('/healthz')))
    await sleep(200)
    process.kill(pid, 'SIGKILL')
    expect((await replies).map(({ status }) => status)).toEqual(all(200))
    const before = traffic.written.length
    await replaced(server, slot, pid)
    expect(traffic.written.length).toBeGreaterThan(before)
  }
  await traffic.stop()
  // Requests of the killed process are cut. No process has answered with a fault.
  expect(traffic.faults.filter((fault) => /^\d/.test(fault))).toEqual([])
  expect(await missingOf(url, traffic.written)).toEqual([])
}, 240_000)

test(
  'SIGHUP replaces them one after the other, with settings of files as they are now, and no request fails',
  async () => {
    const endsAt = performance.now() + soakMs
    let killAt = performance.now() + killEveryMs
    const traffic = await beginTraffic(url)
    let rounds = 0
    do {
      const hasRate = rounds++ % 2 === 0
      writeFileSync(settingsFile, hasRate ? 'SUTLER_RATE=key:10000\n' : '')
      const before = new Map(pidsOf(server))
      server.child.kill('SIGHUP')
      await until(
        async () => server.output().split('all processes are replaced').length > rounds || undefined,
        restartMaxMs,
      ).finally(() => expect(server.output()).not.toContain('a new process cannot start'))
      const after = pidsOf(server)
      for (const [slot, pid] of before)
        expect([slot, isAlive(pid), after.get(slot) === pid]).toEqual([slot, false, false])
      const replies = await asAll(() => overNew(url, admin.token).get('/v2/settings'))
      expect(replies.map(({ headers }) => headers.has('ratelimit'))).toEqual(Array(6).fill(hasRate))
      if (performance.now() < killAt) continue
      killAt += killEveryMs
      expect(traffic.faults).toEqual([])
      const [slot = 0, pid = 0] = [...pidsOf(server)][rounds % 3] ?? []
      process.kill(pid, 'SIGKILL')
      await replaced(server, slot, pid)
      // What the killed process was doing is cut. No process has answered with a fault.
      expect(traffic.faults.splice(0).filter((fault) => /^\d/.test(fault))).toEqual([])
    } while (performance.now() < endsAt)
    await traffic.stop()
    expect(traffic.faults).toEqual([])
    expect(traffic.written.length).toBeGreaterThan(20)
    expect(await missingOf(url, traffic.written)).toEqual([])
  },
  2 * restartMaxMs + 2 * soakMs,
)

test('a wrong setting leaves the old processes at work', async () => {
  writeFileSync(settingsFile, 'SUTLER_SLOW_MS=fast\n')
  const before = [...pidsOf(server)]
  server.child.kill('SIGHUP')
  await until(async () => server.output().includes('so the others go on') || undefined)
  expect([...pidsOf(server)]).toEqual(before)
  expect(await statuses(() => overNew(url).get('/readyz'))).toEqual(all(200))
  writeFileSync(settingsFile, '')
})

test('when their supervisor is killed they end, and the next start has every acknowledged write', async () => {
  const traffic = await beginTraffic(url)
  await until(async () => traffic.written.length > 20 || undefined)
  const pids = [...pidsOf(server).values()]
  server.child.kill('SIGKILL')
  await server.exit
  // And with one process.
  server = serve(directory, { ...settings, SUTLER_PROCESSES: '1' })
  url = await server.ready
  expect(pids.filter(isAlive)).toEqual([])
  await traffic.stop()
  expect(await missingOf(url, traffic.written)).toEqual([])
  await stop(server.child)
  expect(await server.exit).toBe(0)
}, 240_000)

test('a start that cannot succeed says why, as with one process', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { readonly port: number }
  const failing = serve(startedDirectory(), { ...settings, LOG_LEVEL: 'error', PORT: String(port) })
  expect(await failing.exit).toBe(1)
  expect(failing.output()).toMatch(/^sutler: port \d+ is in use: .*set PORT\n$/)
  taken.close()
}, 120_000)

// It takes a minute, most of it waiting.
test.runIf(isLong)(
  'a process that cannot start again and again ends the server',
  async () => {
    const ending = serve(startedDirectory(), settings)
    await ending.ready
    writeFileSync(settingsFile, 'SUTLER_SLOW_MS=fast\n')
    const [[, pid] = [0, 0]] = pidsOf(ending)
    process.kill(pid, 'SIGKILL')
    expect(await ending.exit).toBe(2)
    expect(ending.output()).toMatch(
      /\nsutler: process 1 ended 11 times in a row, at last with: SUTLER_SLOW_MS is "fast": .*\n$/,
    )
  },
  300_000,
)
