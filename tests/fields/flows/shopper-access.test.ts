import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const choose = async (choice: object) => {
  const { status } = await world.admin.put('/v2/settings', { data: { type: 'settings', ...choice } })
  expect(status).toBe(200)
}

test('a store chooses whether shoppers read stock and the entries of templates', async () => {
  const template = await makeFlow(world.admin, 'products(book)', { isbn: { field_type: 'string' } })
  const own = await makeFlow(world.admin, 'questions', { text: { field_type: 'string' } })
  const attributes = { name: 'A draft', commodity_type: 'physical', status: 'draft' }
  const { body } = await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
  const { id } = body.data
  await template.create({ id, isbn: '1' })
  await world.admin.post(`/v2/inventories/${id}`, { data: { type: 'stock', available: 1 } })
  const stock = ['/v2/inventories', `/v2/inventories/${id}`, '/v2/inventories/locations']
  const ofTemplate = [template.entries, `${template.entries}/${id}`]
  const statuses = (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await world.shopper.get(path)).status))
  const many = async () =>
    (await world.shopper.post('/v2/inventories/multiple', { data: [{ id, type: 'stock' }] })).status
  expect([...(await statuses([...stock, ...ofTemplate])), await many()]).toEqual([
    200, 200, 200, 200, 200, 200,
  ])
  await choose({ shoppers_read_stock: false })
  expect([...(await statuses([...stock, ...ofTemplate])), await many()]).toEqual([
    403, 403, 403, 200, 200, 403,
  ])
  await choose({ shoppers_read_stock: true, shoppers_read_template_entries: false })
  expect(await statuses([...stock, ...ofTemplate, own.entries])).toEqual([200, 200, 200, 403, 403, 200])
  expect((await world.admin.get(template.entries)).status).toBe(200)
})

test('a store chooses which of its fields shoppers write', async () => {
  const flow = await makeFlow(world.admin, 'customers', {
    nickname: { field_type: 'string' },
    tier: { field_type: 'string', default: 'basic', shoppers_write: false },
  })
  const email = 'ada@example.com'
  const password = 'eleven horses by the river'
  const data = { type: 'customer', name: 'Ada', email, password, tier: 'gold' }
  const reply = await world.admin.post('/v2/customers', { data })
  const { id, tier } = reply.body.data
  expect([reply.status, tier]).toEqual([201, 'gold'])
  const signIn = { type: 'token', email, password, authentication_mechanism: 'password' }
  const { token } = (await world.shopper.post('/v2/customers/tokens', { data: signIn })).body.data
  const path = `/v2/customers/${id}`
  const write = (values: object) =>
    world.shopper.put(path, { data: { type: 'customer', ...values } }, { 'x-moltin-customer-token': token })
  const changed = await write({ nickname: 'Ace', tier: 'platinum' })
  expect([changed.status, changed.body.data.nickname, changed.body.data.tier]).toEqual([200, 'Ace', 'gold'])
  await flow.change('tier', { shoppers_write: true })
  expect((await write({ tier: 'silver' })).body.data.tier).toBe('silver')
})
