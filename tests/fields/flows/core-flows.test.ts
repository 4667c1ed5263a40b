import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const customer = (more: object = {}) => ({
  data: { type: 'customer', name: 'Ada', email: `${crypto.randomUUID()}@example.com`, ...more },
})

describe('a flow named as a resource', () => {
  test('adds its fields to it', async () => {
    const { body: old } = await world.admin.post('/v2/customers', customer())
    const flow = await makeFlow(world.admin, 'customers', {
      shoe_size: { field_type: 'integer', required: true, default: 40 },
    })
    const path = `/v2/customers/${old.data.id}`
    const read = await world.admin.get(path)
    expect(read.body.data.shoe_size).toBe(null)
    const reply = await world.admin.post('/v2/customers', customer())
    expect([reply.status, reply.body.data.shoe_size]).toEqual([201, 40])
    expect((await world.admin.get(`/v2/customers/${reply.body.data.id}`)).body.data).toEqual(reply.body.data)
    for (const wrong of ['abc', 43.5, null, true]) {
      const refused = await world.admin.post('/v2/customers', customer({ shoe_size: wrong }))
      expect([wrong, refused.status, refused.body.errors?.[0].source]).toEqual([wrong, 422, 'data.shoe_size'])
    }
    const changed = await world.admin.put(path, { data: { type: 'customer', shoe_size: 43 } })
    expect([changed.status, changed.body.data.shoe_size]).toEqual([200, 43])
    const list = await world.admin.get('/v2/customers?sort=created_at')
    expect(list.body.data.map((one: { shoe_size: number }) => one.shoe_size)).toEqual([43, 40])
    const entry = await world.admin.get(`/v2/flows/customers/entries/${old.data.id}`)
    expect(entry.body.data).toMatchObject({ id: old.data.id, type: 'entry', shoe_size: 43 })
    expect(entry.body.data.name).toBe(undefined)
    const put = await world.admin.put(`/v2/flows/customers/entries/${old.data.id}`, {
      data: { type: 'entry', shoe_size: 44, name: 'Not mine' },
    })
    expect([put.status, put.body.data.shoe_size]).toEqual([200, 44])
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Ada', shoe_size: 44 })
    await flow.change('shoe_size', { slug: 'size' })
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Ada', size: 44 })
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('shoe_size')
    await flow.change('shoe_size', { enabled: false })
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('size')
    await world.admin.put(path, { data: { type: 'customer', name: 'Bea', size: 'ignored' } })
    await flow.change('shoe_size', { enabled: true })
    expect((await world.admin.get(path)).body.data).toMatchObject({ name: 'Bea', size: 44 })
    await flow.drop('shoe_size')
    expect((await world.admin.get(path)).body.data).not.toHaveProperty('size')
  })
})

test('entries of core flows are part of their objects, and shoppers cannot read them', async () => {
  const flow = await makeFlow(world.admin, 'addresses', { floor: { field_type: 'integer' } })
  const { body: owner } = await world.admin.post('/v2/customers', customer())
  const line = { first_name: 'A', last_name: 'B', line_1: 'C', postcode: 'D', country: 'GB', county: 'E' }
  const reply = await world.admin.post(`/v2/customers/${owner.data.id}/addresses`, {
    data: { type: 'address', name: 'Home', ...line, floor: 3 },
  })
  expect([reply.status, reply.body.data.floor]).toEqual([201, 3])
  const path = `${flow.entries}/${reply.body.data.id}`
  for (const method of ['GET', 'DELETE']) {
    expect([method, (await world.shopper.send(method, path)).status]).toEqual([method, 403])
  }
  expect((await world.shopper.get(flow.entries)).status).toBe(403)
  const list = await world.admin.get(flow.entries)
  expect([list.status, list.body.meta.results.total]).toEqual([200, 1])
  expect(list.body.data[0]).toMatchObject({ id: reply.body.data.id, type: 'entry', floor: 3 })
  expect(list.body.data[0]).not.toHaveProperty('line_1')
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await world.admin.get(path)).body.data.floor).toBe(null)
  expect((await world.admin.get(`${flow.entries}/${crypto.randomUUID()}`)).status).toBe(404)
  const refused = await world.admin.delete(flow.path)
  expect([refused.status, refused.body.errors[0].code]).toEqual([405, 'method_not_allowed'])
  const renamed = await world.admin.put(flow.path, { data: { type: 'flow', slug: 'old-addresses' } })
  expect(renamed.status).toBe(200)
  const shown = await world.admin.get(`/v2/customers/${owner.data.id}/addresses/${reply.body.data.id}`)
  expect(shown.body.data).not.toHaveProperty('floor')
  expect((await world.admin.delete(flow.path)).status).toBe(204)
})

test('a client that deletes all entries of a core flow finishes', async () => {
  const store = world.other
  const before = await store.post('/v2/customers', customer())
  const flow = await makeFlow(store, 'customers', {
    nickname: { field_type: 'string' },
    size: { field_type: 'integer' },
    friends: { field_type: 'relationship', validation_rules: [{ type: 'one-to-many', to: 'customer' }] },
  })
  const named = await store.post('/v2/customers', customer({ nickname: 'Ace' }))
  const sized = await store.post('/v2/customers', customer({ size: 0 }))
  const linked = await store.post('/v2/customers', customer())
  const ids = [linked, sized, named].map(({ body }) => body.data.id)
  const friends = `${flow.entries}/${ids[0]}/relationships/friends`
  await store.post(friends, { data: [{ type: 'customer', id: ids[1] }] })
  const listed = await store.get(flow.entries)
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(listed.body.meta.results.total).toBe(3)
  for (const id of ids) expect((await store.delete(`${flow.entries}/${id}`)).status).toBe(204)
  expect((await store.get(flow.entries)).body.data).toEqual([])
  expect((await store.get(`${flow.entries}/${before.body.data.id}`)).status).toBe(200)
  const { body } = await store.get(`/v2/customers/${ids[0]}`)
  expect(body.data).toMatchObject({ nickname: null, size: null })
  expect(body.data.relationships).toBe(undefined)
})

test('the links of an object that a core flow extends are read and changed at its own address', async () => {
  const rules = (type: string) => [{ type, to: 'customer' }]
  const flow = await makeFlow(world.admin, 'account-memberships', {
    friends: { field_type: 'relationship', validation_rules: rules('one-to-many') },
  })
  expect(flow.id).toBeTruthy()
  await makeFlow(world.admin, 'accounts', {
    friends: { field_type: 'relationship', validation_rules: rules('one-to-many') },
    owner: { field_type: 'relationship', validation_rules: rules('one-to-one') },
  })
  const account = { data: { type: 'account', name: 'A', legal_name: 'A' } }
  const { id } = (await world.admin.post('/v2/accounts', account)).body.data
  const at = (name: string) => `/v2/accounts/${id}/relationships/${name}`
  const link = (to: string) => ({ id: to, type: 'customer' })
  const read = async (name: string) => (await world.admin.get(at(name))).body.data
  expect(await read('friends')).toEqual([])
  const reply = await world.admin.post(at('friends'), { data: [link('a'), link('b')] })
  expect([reply.status, reply.body.data]).toEqual([201, [link('a'), link('b')]])
  expect((await world.admin.post(at('owner'), { data: link('o') })).status).toBe(201)
  expect(await read('owner')).toEqual([link('o')])
  await world.admin.put(at('friends'), { data: [link('c')] })
  expect(await read('friends')).toEqual([link('c')])
  const shown = await world.admin.get(`/v2/accounts/${id}`)
  expect(shown.body.data.relationships).toMatchObject({
    friends: { data: [link('c')] },
    owner: { data: link('o') },
  })
  expect((await world.admin.delete(at('friends'))).status).toBe(204)
  expect(await read('friends')).toEqual([])
  // The resource's own relationships are where they were.
  expect((await world.admin.get(at('account-tags'))).status).toBe(200)
  for (const path of [
    at('nobody'),
    at('friends').replace(id, crypto.randomUUID()),
    `/v2/things/${id}/relationships/a`,
  ]) {
    expect([path, (await world.admin.get(path)).status]).toEqual([path, 404])
  }
  expect((await world.shopper.get(at('friends'))).status).toBe(403)
  expect((await world.nobody.get(at('friends'))).status).toBe(401)
  expect((await world.other.get(at('friends'))).status).toBe(404)
})
