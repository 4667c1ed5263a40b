import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Merchant } from '../../builders/assortment/variations.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { kinds, makeCode, spend } from '../../builders/promotions/codes.ts'
import { fillStore } from '../../builders/tools/full-store.ts'
import { begin } from '../../builders/tools/run-command.ts'
import type { Client } from '../../support/client.ts'
import { openFailingProxy } from '../../support/failing-proxy.ts'
import { isLong } from '../../support/long.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, stopAfterEach } from '../../support/process.ts'
import { openWorld, secret, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  await fillStore(world)
  await sellShirts(new Merchant(world))
})

/** A product with two children. One has a name of its own, a stock, and a place in a hierarchy. */
async function sellShirts(merchant: Merchant): Promise<void> {
  const size = await merchant.variation('Size', 'S', 'M')
  await merchant.modifier(size.id, size.of.M, { type: 'sku_append', value: '-M' })
  await merchant.modifier(size.id, size.of.S, { type: 'sku_append', value: '-S' })
  const shirt = await merchant.product({ sku: 'SHIRT', name: 'Shirt', slug: 'shirt' })
  await merchant.link(shirt, size.id)
  await merchant.build(shirt)
  const medium = (await childrenOf(world.admin)).find(({ attributes }) => attributes.sku === 'SHIRT-M')
    ?.id as string
  await merchant.change(medium, { name: 'The shirt that fits' })
  const post = async (path: string, data: object) => {
    const { status, body } = await world.admin.post(path, { data })
    expect([path, status, body?.errors]).toEqual([path, 201, undefined])
    return body.data.id as string
  }
  await post(`/v2/inventories/${medium}`, { type: 'stock', attributes: { available: 7 } })
  const hierarchy = await post('/pcm/hierarchies', { type: 'hierarchy', attributes: { name: 'Shop' } })
  const node = await post(`/pcm/hierarchies/${hierarchy}/nodes`, {
    type: 'node',
    attributes: { name: 'Wear' },
  })
  await post(`/pcm/hierarchies/${hierarchy}/nodes/${node}/relationships/products`, [
    { type: 'product', id: medium } as never,
  ])
}

interface Shirt {
  readonly id: string
  readonly attributes: { readonly sku: string; readonly name: string }
}

async function childrenOf(client: Client): Promise<readonly Shirt[]> {
  const { body } = await client.get('/pcm/products?page[limit]=100')
  return body.data.filter(({ attributes }: Shirt) => attributes.sku?.startsWith('SHIRT-'))
}

/** What the shop says about the shirts, without their ids. */
async function shirtsIn(client: Client) {
  const shirts = (await childrenOf(client)).toSorted((a, b) => (a.attributes.sku < b.attributes.sku ? -1 : 1))
  return Promise.all(
    shirts.map(async ({ id, attributes }) => ({
      ...{ sku: attributes.sku, name: attributes.name },
      stock: (await client.get(`/v2/inventories/${id}`)).body.data?.available,
      nodes: (await client.get(`/pcm/products/${id}/nodes`)).body.data?.map(
        (node: { attributes: { name: string } }) => node.attributes.name,
      ),
    })),
  )
}
afterAll(() => world.close())

let database: OwnDatabase
beforeEach(async () => {
  database = await ownDatabase()
})
// Vitest runs these from the last to the first.
afterEach(() => database.drop())
stopAfterEach()

/** Another server, with a new store: its address, and a caller of it. */
async function newServer(more: Record<string, string> = {}): Promise<{ url: string; admin: Client }> {
  const settings = { ...key, DATABASE_URL: database.url, SUTLER_SECRET: secret, ...more }
  const url = await serve(newDirectory(), settings).ready
  return { url, admin: await adminOf(url) }
}

/** A way to copy a store of the server at `from`, by the key of the store, to the one at `to`. */
const copyBy =
  ({ id, secret }: World['key']) =>
  (from: string, to: string, state: string, ...more: string[]) =>
    begin(
      [
        'copy',
        ...['--from', from, '--client-id', id, '--client-secret', secret],
        ...[
          '--to',
          to,
          '--to-client-id',
          key.SUTLER_CLIENT_ID,
          '--to-client-secret',
          key.SUTLER_CLIENT_SECRET,
        ],
        ...['--state', state, '--per-second', '1000', ...more],
      ],
      {},
    )

test('a store is copied through its public operations, and compared', { timeout: 600_000 }, async () => {
  const { url, admin } = await newServer({ SUTLER_KEEP_IDS: 'true' })
  const codes = await Promise.all(kinds.map((kind) => makeCode(world.admin, kind, { uses: 3 })))
  expect(await spend(world, codes)).toEqual([])
  const ada = { type: 'customer', name: 'Ada Marsh', email: 'ada@example.com', password: 'eleven horses' }
  expect((await world.admin.post('/v2/customers', { data: ada })).status).toBe(201)
  // The entries of this flow are parts of carts, which are not copied.
  await makeFlow(world.admin, 'carts', {
    gift_note: { field_type: 'string' },
    gifts: { field_type: 'relationship', validation_rules: [{ type: 'one-to-many', to: 'products' }] },
  })
  const wrapped = await world.shopper.post('/v2/carts', { data: { id: 'wrapped', gift_note: 'For Ada' } })
  expect(wrapped.status).toBe(201)
  await world.admin.put('/v2/gateways/manual', { data: { enabled: true } })
  await world.admin.put('/v2/gateways/braintree', {
    data: { enabled: true, merchant_id: 'riverside', public_key: 'public', private_key: 'private' },
  })
  const copied = await copyBy(world.key)(world.url, url, join(newDirectory(), 'copy.ndjson')).ended
  expect(copied.stdout).toMatch(/All \d\d\d objects are equal on both servers/)
  // A code that was used once of three times has two uses left, and is one of two uses here.
  for (const { promotion, code } of codes) {
    const { data } = (await admin.get(`${promotion}/codes/${code}`)).body
    expect(data).toMatchObject({ code, uses: 2, max_uses: 2 })
  }
  expect((await admin.get('/v2/gateways/manual')).body.data.enabled).toBe(true)
  expect((await admin.get('/v2/gateways/braintree')).body.data).toMatchObject({
    ...{ enabled: false, merchant_id: 'riverside', public_key: 'public', meta: { secrets: [] } },
  })
  expect(copied.stdout).toContain('gateways: secrets cannot be read: set those of braintree, and enable them')
  expect(copied.stdout).toContain('codes of promotions have the uses that are left')
  expect(copied.stdout).toContain('passwords cannot be read')
  expect(copied.stdout).toContain('links of fields of the type relationship are not copied')
  expect(copied.stdout).toContain('customers who have one need a new one')
  expect(copied.stdout).toContain('orders: no operation creates an order as it was')
  expect(copied.code).toBe(0)
  const idsIn = async (client: Client, path: string) =>
    ((await client.get(path)).body.data as { id: string }[]).map(({ id }) => id).sort()
  for (const path of ['/v2/accounts', '/v2/customers', '/v2/files', '/pcm/hierarchies'])
    expect(await idsIn(admin, path), path).toEqual(await idsIn(world.admin, path))
  const shirts = await shirtsIn(admin)
  expect(shirts.map(({ name, stock }) => [name, stock])).toEqual([
    ['The shirt that fits', 7],
    ['Shirt', undefined],
  ])
  expect(shirts).toEqual(await shirtsIn(world.admin))
  expect(copied.stdout).toContain('child products: they were built, and have other ids')
  const [file] = (await admin.get('/v2/files')).body.data.filter(
    (one: { file_size: number }) => one.file_size > 0,
  )
  const there = (await world.admin.get(`/v2/files/${file.id}`)).body.data.link.href
  const contents = await Promise.all([file.link.href, there].map(async (href) => (await fetch(href)).text()))
  expect(contents[0]).toBe(contents[1])
})

const namesIn = async (admin: Client, path: string) => {
  const { body } = await admin.get(`${path}?page%5Blimit%5D=100`)
  return (body.data as { name: string }[]).map(({ name }) => name).sort()
}

test.runIf(isLong)(
  'under writes, kills and faults of both servers, what is left after all is equal',
  {
    timeout: 900_000,
  },
  async () => {
    const { url, admin } = await newServer()
    const copy = copyBy(world.key)
    const [from, to] = [await openFailingProxy(world.url), await openFailingProxy(url)]
    const state = join(newDirectory(), 'copy.ndjson')
    let writing = true
    const writer = (async () => {
      // So few that one page of their list has all of them, however slow the machine is.
      for (let i = 0; writing && i < 60; i++) {
        const { body } = await world.admin.post('/v2/accounts', {
          data: { type: 'account', name: `New ${i}` },
        })
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
    for (const path of ['/v2/accounts', '/v2/customers'])
      expect(await namesIn(admin, path), path).toEqual(await namesIn(world.admin, path))
  },
)

const address = {
  ...{ type: 'address', first_name: 'Ada', last_name: 'Bloom', line_1: '1 Road', county: 'Kent' },
  ...{ postcode: 'K1', country: 'GB' },
}

/** The accounts of a store with their names, their tags and the names of their addresses. */
async function accountsOf(client: Client): Promise<unknown> {
  const { data } = (await client.get('/v2/accounts?sort=id&page[limit]=100')).body
  return Promise.all(
    data.map(async ({ id, name }: { id: string; name: string }) => {
      const addresses = await client.get(`/v2/accounts/${id}/addresses`)
      // The copy may have deleted the account meanwhile.
      if (addresses.status === 404) return [id]
      const tags = (await client.get(`/v2/accounts/${id}/relationships/account-tags`)).body.data
      return [id, name, tags, addresses.body.data.map((one: { name: string }) => one.name).sort()]
    }),
  )
}

/** Creates, changes, tags and deletes accounts and their addresses, one round after the other. */
async function writeUntil(admin: Client, isOver: () => boolean): Promise<void> {
  const tag = (await admin.post('/v2/account-tags', { data: { type: 'account_tag', name: 'Late' } })).body
    .data
  const own = ((await admin.get('/v2/accounts')).body.data as { id: string }[]).map(({ id }) => id)
  for (let i = 0; !isOver(); i++) {
    const { id } = (await admin.post('/v2/accounts', { data: { type: 'account', name: `New ${i}` } })).body
      .data
    own.push(id)
    for (const name of [`Home ${i}`, `Work ${i}`])
      await admin.post(`/v2/accounts/${id}/addresses`, { data: { ...address, name } })
    await admin.put(`/v2/accounts/${own.at(-3)}`, { data: { type: 'account', name: `Changed ${i}` } })
    await admin.post(`/v2/accounts/${id}/relationships/account-tags`, {
      data: [{ type: 'account_tag', id: tag.id }],
    })
    // From the oldest on: those that the lists had.
    if (i % 2 === 0) await admin.delete(`/v2/accounts/${own.shift()}`)
    await sleep(300)
  }
}

test('a copy follows the changes of the other server, with deletions, until it is stopped', {
  timeout: 600_000,
}, async () => {
  // A store of little but accounts: the two tests above copy everything.
  const source = world.other
  const { body } = await source.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Copy' },
  })
  const copy = copyBy({ id: body.data.client_id, secret: body.data.client_secret })
  for (const name of ['Ash', 'Birch', 'Cedar', 'Elm']) {
    const { id } = (await source.post('/v2/accounts', { data: { type: 'account', name } })).body.data
    await source.post(`/v2/accounts/${id}/addresses`, { data: { ...address, name } })
  }
  const stock = (
    await source.post('/v2/inventories', { data: { type: 'stock', attributes: { available: 7 } } })
  ).body.data.id
  const { url, admin } = await newServer({ SUTLER_KEEP_IDS: 'true' })
  const state = join(newDirectory(), 'copy.ndjson')
  const { child, ended } = copy(world.url, url, state, '--follow')
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  let isOver = false
  const writing = writeUntil(source, () => isOver)
  await expect.poll(() => said, { timeout: 300_000 }).toContain('followed changes to')
  await sleep(2000)
  isOver = true
  await writing
  // A sale, and goods in a location.
  const sale = { type: 'stock-transaction', action: 'decrement', quantity: 3 }
  expect((await source.post(`/v2/inventories/${stock}/transactions`, { data: sale })).status).toBe(200)
  const place = { type: 'inventory_location', attributes: { name: 'East', slug: 'east' } }
  expect((await source.post('/v2/inventories/locations', { data: place })).status).toBe(201)
  const inEast = { type: 'stock', attributes: { locations: { east: { available: 4 } } } }
  expect((await source.put(`/v2/inventories/${stock}`, { data: inEast })).status).toBe(200)
  // Nothing has been compared yet, so only the feed can have brought the last changes.
  const available = async () => (await admin.get(`/v2/inventories/${stock}`)).body.data?.available
  await expect.poll(available, { timeout: 60_000, interval: 1000 }).toBe(8)
  const wanted = await accountsOf(source)
  await expect.poll(() => accountsOf(admin), { timeout: 60_000, interval: 1000 }).toEqual(wanted)
  expect(said).not.toContain('comparing')
  child.kill('SIGINT')
  const { stdout, code } = await ended
  expect(said).not.toContain('differences')
  expect(stdout).toMatch(/changes during the copy: \d+ objects copied again, [1-9]\d* deleted/)
  expect(stdout).toMatch(/All \d+ objects are equal on both servers/)
  expect(code).toBe(0)

  // The feed loses what the copy has not read: the lists say what is deleted.
  const [{ id }] = (await source.get('/v2/accounts')).body.data
  await source.delete(`/v2/accounts/${id}`)
  await sleep(1000)
  await world.sql('UPDATE feeds SET trimmed = position WHERE store_id <> $1', [world.storeId])
  const again = await copy(world.url, url, state).ended
  expect(again.stderr).toContain('reading the lists again')
  expect(again.stderr).not.toContain('differences')
  expect(again.code).toBe(0)
  expect(await accountsOf(admin)).toEqual(await accountsOf(source))
})
