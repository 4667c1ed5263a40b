import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  adminOf,
  key,
  newDirectory,
  type Process,
  serve,
  startedDirectory,
  stop,
  stopAfterEach,
} from '../../support/process.ts'
import { until } from '../../support/until.ts'

stopAfterEach()

const account = (name: string) => ({ data: { type: 'account', name } })

test('the first start creates a key, prints it once and stores it privately; the next start does not print it', async () => {
  const directory = newDirectory()
  const first = serve(directory)
  const url = await first.ready
  const file = join(directory, 'first-key.env')
  const [, id = '', secret = ''] =
    /CLIENT_ID=(\S+)\nSUTLER_CLIENT_SECRET=(\S+)/.exec(readFileSync(file, 'utf8')) ?? []
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(first.output()).toContain(secret)
  expect((await (await adminOf(url, id, secret)).get('/v2/settings')).status).toBe(200)
  await stop(first.child)
  expect(await first.exit).toBe(0)

  const second = serve(directory, { LOG_LEVEL: 'info' })
  expect((await (await adminOf(await second.ready, id, secret)).get('/v2/settings')).status).toBe(200)
  expect(second.output()).toMatch(
    /^Sutler is ready at \S+ \(open it in a browser; console: \S+\/console; docs: \S+\/docs; health: \S+\/readyz\)\n/,
  )
  expect(second.output()).not.toContain(secret)
}, 120_000)

test('a failed start prints the reason in one line, and its exit code says whose fault it is', async () => {
  const directory = startedDirectory()
  const running = serve(directory, key)
  await running.ready
  const blocker = createServer()
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done))
  const { port } = blocker.address() as { port: number }
  const file = join(newDirectory(), 'a-file')
  writeFileSync(file, '')

  const cases: readonly (readonly [process: Process, code: number, says: RegExp])[] = [
    [serve(directory), 3, /^sutler: data directory .* is in use by another Sutler process \(pid \d+\)\n$/],
    [
      serve(startedDirectory(), { ...key, PORT: String(port) }),
      1,
      /^sutler: port \d+ is in use: .*set PORT\n$/,
    ],
    [
      serve(newDirectory(), { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
      1,
      /^sutler: cannot use the database .*\n$/,
    ],
    // Of the settings one is enough: tests/config.test.ts has the others.
    [
      serve(newDirectory(), { PORT: 'eighty' }),
      2,
      /^sutler: PORT is "eighty": it must be a whole number .*\n$/,
    ],
    [serve(file), 1, /^sutler: .*a-file.*\n$/],
  ]
  for (const [process, code, says] of cases) {
    expect(await process.exit).toBe(code)
    expect(process.output()).toMatch(says)
  }
  blocker.close()
  // Six processes at once: on a busy machine each takes many times as long.
}, 120_000)

test('SIGTERM lets the requests in flight finish', async () => {
  const running = serve(startedDirectory(), key)
  const admin = await adminOf(await running.ready)
  let stopping = false
  const statuses: number[] = []
  const cut: unknown[] = []
  const writer = async () => {
    while (!stopping) {
      const answer = await admin.post('/v2/accounts', account('A'))
      statuses.push(answer.status)
    }
  }
  const writers = Array.from({ length: 8 }, () => writer().catch((error) => cut.push(error)))
  await until(async () => statuses.length > 50 || undefined)
  stopping = true
  running.child.kill('SIGTERM')
  await Promise.all(writers)
  expect(cut).toEqual([])
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect(await running.exit).toBe(0)
}, 120_000)

test('after SIGTERM an open connection is served for a moment, and a new one is refused', async () => {
  const running = serve(startedDirectory(), key)
  const { hostname, port } = new URL(await running.ready)
  const request = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
  const open = async () => {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return socket
  }
  const socket = await open()
  socket.write(request)
  await once(socket, 'data')
  running.child.kill('SIGTERM')
  await expect
    .poll(() => open().then((one) => void one.destroy(), String), { interval: 5, timeout: 5000 })
    .toContain('ECONNREFUSED')
  socket.write(request)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*connection: close/i)
  expect(await running.exit).toBe(0)
}, 120_000)

test('after kill -9 of everything, under load, the next start has every acknowledged write', async () => {
  const directory = startedDirectory()
  const running = serve(directory, key)
  const admin = await adminOf(await running.ready)
  const acknowledged: string[] = []
  let killed = false
  const writer = async (writer: number) => {
    for (let i = 0; !killed; i++) {
      const answer = await admin.post('/v2/accounts', account(`${writer}-${i}`)).catch(() => undefined)
      if (answer?.status === 201) acknowledged.push(answer.body.data.id)
    }
  }
  const writers = Array.from({ length: 8 }, (_, i) => writer(i))
  await until(async () => acknowledged.length > 200 || undefined)
  const postmaster = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split(
    '\n',
  )[0] as string
  const backends = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster])
    .toString()
    .split(/\s+/)
    .filter(Boolean)
  running.child.kill('SIGKILL')
  for (const pid of [postmaster, ...backends]) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended with its postmaster.
    }
  }
  killed = true
  await Promise.all(writers)

  const again = await adminOf(await serve(directory, key).ready)
  const stored = new Set<string>()
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await again.get(`/v2/accounts?sort=id&page[limit]=100&filter=gt(id,${last})`)
    if (page.body.data.length === 0) {
      expect(page.body.meta.results.total).toBe(0)
      break
    }
    for (const { id } of page.body.data) stored.add(id)
    last = page.body.data.at(-1).id
  }
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  const total = await again.get('/v2/accounts?page[limit]=0')
  expect(total.body.meta.results.total).toBe(stored.size)
}, 120_000)
