import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillStore } from '../moving/full-store.ts'
import { begin } from '../moving/run-command.ts'
import type { Client } from '../support/client.ts'
import { openFailingProxy } from '../support/failing-proxy.ts'
import { adminOf, key, newDirectory, serve, startedDirectory, stopAfterEach } from '../support/process.ts'
import { openWorld, type World } from '../support/world.ts'

stopAfterEach()

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  await fillStore(world)
})
afterAll(() => world.close())

/** Another server, with a new store. */
const newServer = (more: Record<string, string> = {}) => serve(startedDirectory(), { ...key, ...more }).ready

/** Copies from a server at `from` to the one at `to`. */
const copy = (from: string, to: string, state: string) =>
  begin(
    'copy-store.ts',
    [
      ...['--from', from, '--client-id', world.key.id, '--client-secret', world.key.secret],
      ...['--to', to, '--to-client-id', key.SUTLER_CLIENT_ID, '--to-client-secret', key.SUTLER_CLIENT_SECRET],
      ...['--state', state, '--per-second', '1000'],
    ],
    {},
  )

const namesIn = async (admin: Client, path: string) => {
  const { body } = await admin.get(`${path}?page%5Blimit%5D=100`)
  return (body.data as { name: string }[]).map(({ name }) => name).sort()
}

test('under writes, kills and faults of both servers, what is left after all is equal', {
  timeout: 900_000,
}, async () => {
  const url = await newServer()
  const [from, to] = [await openFailingProxy(world.url), await openFailingProxy(url)]
  const state = join(newDirectory(), 'copy.ndjson')
  let writing = true
  const writer = (async () => {
    for (let i = 0; writing; i++) {
      const { body } = await world.admin.post('/v2/accounts', { data: { type: 'account', name: `New ${i}` } })
      await world.admin.put(`/v2/accounts/${body.data.id}`, {
        data: { type: 'account', name: `Changed ${i}` },
      })
      if (i % 3 === 0) await world.admin.delete(`/v2/accounts/${body.data.id}`)
      await sleep(200)
    }
  })()
  const killed = copy(from.url, to.url, state)
  const lines = () => (existsSync(state) ? readFileSync(state, 'utf8').split('\n').length : 0)
  await expect.poll(lines, { timeout: 300_000 }).toBeGreaterThan(40)
  killed.child.kill('SIGKILL')
  await killed.ended
  const before = lines()
  const continuing = copy(from.url, to.url, state)
  await expect.poll(lines, { timeout: 300_000 }).toBeGreaterThan(before + 20)
  writing = false
  await writer
  const { stdout, code } = await continuing.ended
  expect(stdout).toMatch(/user-authentication-infos: \d+ read, 0 created/)
  expect(stdout).toMatch(/All \d\d\d objects are equal on both servers/)
  expect(code).toBe(0)
  expect(from.failures() + to.failures()).toBeGreaterThan(30)
  from.close()
  to.close()
  const admin = await adminOf(url)
  for (const path of ['/v2/accounts', '/v2/customers'])
    expect(await namesIn(admin, path), path).toEqual(await namesIn(world.admin, path))
})
