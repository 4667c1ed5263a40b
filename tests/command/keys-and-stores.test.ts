import { expect, test } from 'vitest'
import { run } from '../builders/tools/run-command.ts'
import { adminOf, key, serve, startedDirectory, stopAfterEach } from '../support/process.ts'

stopAfterEach()

test('an operator without a key makes one beside the server, renews it and deletes it, and adds a store', async () => {
  const directory = startedDirectory()
  const settings = { SUTLER_DATA_DIR: directory }
  const url = await serve(directory, key).ready
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run([...words, '--json'], settings)
    expect([words, code, stderr]).toEqual([words, 0, ''])
    return JSON.parse(stdout)
  }
  const token = (id: string, secret: string) => adminOf(url, id, secret)
  const status = async (id: string, secret: string) =>
    (await (await token(id, secret)).get('/v2/stores')).status

  const added = await json('key', 'add', 'Storefront')
  expect(await status(added.client_id, added.client_secret)).toBe(200)
  const { keys } = await json('key', 'list')
  expect(keys).toContainEqual({
    ...{ client_id: added.client_id, name: 'Storefront', created_at: expect.any(String) },
    last_used_at: expect.any(String),
  })
  // Those who follow the store see who did it.
  const admin = await adminOf(url)
  const changes = async () => (await admin.get('/v2/changes?page[limit]=100&page[after]=0')).body.data
  await expect
    .poll(
      async () =>
        JSON.stringify((await changes()).filter((one: object) => JSON.stringify(one).includes('operator'))),
      {
        timeout: 10_000,
      },
    )
    .toContain('Storefront')

  const renewed = await json('key', 'rotate', added.client_id)
  expect(await status(added.client_id, renewed.client_secret)).toBe(200)
  expect(await status(added.client_id, added.client_secret)).toBe(401)

  const holder = await token(added.client_id, renewed.client_secret)
  await json('key', 'delete', added.client_id)
  await expect.poll(async () => (await holder.get('/v2/stores')).status, { timeout: 10_000 }).toBe(401)
  expect(await run(['key', 'delete', added.client_id], settings)).toMatchObject({
    code: 3,
    stderr: `sutler: there is no key ${added.client_id} in this store: sutler key list shows them\n`,
  })

  const outlet = await json('store', 'add', 'Outlet')
  const manager = await token(outlet.client_id, outlet.client_secret)
  expect((await manager.get('/v2/settings')).status).toBe(200)
  expect((await manager.get('/v2/stores')).body.data).toMatchObject([{ id: outlet.id, name: 'Outlet' }])
  await json('store', 'rename', 'Sale', '--store', outlet.id)
  expect((await json('store', 'list')).stores).toContainEqual({
    ...{ id: outlet.id, name: 'Sale', created_at: expect.any(String), rates: null },
  })
  await json('store', 'rate', 'store:50, key:20', '--store', outlet.id)
  await expect
    .poll(async () => (await manager.get('/v2/stores')).headers.get('ratelimit-policy'), { timeout: 10_000 })
    .toBe('"key";q=20;w=1, "store";q=50;w=1')
  expect((await admin.get('/v2/stores')).headers.get('ratelimit-policy')).toBeNull()
  expect((await json('store', 'list')).stores).toContainEqual(
    expect.objectContaining({ id: outlet.id, rates: 'store:50,key:20' }),
  )
  expect(await run(['store', 'rate', '200', '--store', outlet.id], settings)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"200" is not a list of rates: send rates such as store:200,key:100'),
  })
  await json('store', 'rate', 'default', '--store', outlet.id)
  await expect
    .poll(async () => (await manager.get('/v2/stores')).headers.get('ratelimit-policy'), { timeout: 10_000 })
    .toBeNull()
  // With two stores an operator has to choose.
  const { code, stderr } = await run(['key', 'add', 'X'], settings)
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/^sutler: choose one of the stores with --store: /),
  ])
}, 120_000)
