import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillStore } from '../moving/full-store.ts'
import { begin } from '../moving/run-command.ts'
import type { Client } from '../support/client.ts'
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

test('a store is copied through its public operations, and compared', { timeout: 600_000 }, async () => {
  const url = await newServer({ SUTLER_KEEP_IDS: 'true' })
  const copied = await copy(world.url, url, join(newDirectory(), 'copy.ndjson')).ended
  expect(copied.stdout).toMatch(/All \d\d\d objects are equal on both servers/)
  expect(copied.stdout).toContain('passwords cannot be read')
  expect(copied.stdout).toContain('orders: no operation creates an order as it was')
  expect(copied.code).toBe(0)
  const admin = await adminOf(url)
  const idsIn = async (client: Client, path: string) =>
    ((await client.get(path)).body.data as { id: string }[]).map(({ id }) => id).sort()
  for (const path of ['/v2/accounts', '/pcm/products', '/v2/customers', '/v2/files', '/pcm/hierarchies'])
    expect(await idsIn(admin, path), path).toEqual(await idsIn(world.admin, path))
  const [file] = (await admin.get('/v2/files')).body.data.filter(
    (one: { file_size: number }) => one.file_size > 0,
  )
  const there = (await world.admin.get(`/v2/files/${file.id}`)).body.data.link.href
  const contents = await Promise.all([file.link.href, there].map(async (href) => (await fetch(href)).text()))
  expect(contents[0]).toBe(contents[1])
})
