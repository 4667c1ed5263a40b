import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const namesOf = (reply: { body: { data: readonly { name?: string }[] } }) =>
  reply.body.data.map(({ name }) => name).sort()

describe('an entry of a flow of its own', () => {
  test('is created, read, changed, listed and deleted', async () => {
    const flow = await makeFlow(world.admin, 'birds', {
      name: { field_type: 'string', required: true },
      wings: { field_type: 'integer', default: 2 },
      sighting: { field_type: 'date' },
    })
    const reply = await flow.create({ name: 'Möwe', sighting: '2018-12-31 10:00:00', colour: 'ignored' })
    expect(reply.status).toBe(201)
    const { id, meta } = reply.body.data
    expect(reply.body.data).toEqual({
      id,
      type: 'entry',
      name: 'Möwe',
      wings: 2,
      sighting: '2018-12-31 10:00:00',
      links: { self: `${world.url}/v2/flows/birds/entries/${id}` },
      meta: {
        owner: 'store',
        timestamps: { created_at: meta.timestamps.created_at, updated_at: meta.timestamps.created_at },
      },
    })
    const path = `${flow.entries}/${id}`
    expect((await world.admin.get(path)).body).toEqual(reply.body)
    const changed = await world.admin.put(path, { data: { type: 'entry', wings: null } })
    expect([changed.status, changed.body.data.wings, changed.body.data.name]).toEqual([200, null, 'Möwe'])
    const list = await world.admin.get(`${flow.entries}?page[limit]=1`)
    expect(list.body.data).toEqual([changed.body.data])
    expect(list.body.meta).toEqual({
      page: { limit: 1, offset: 0, current: 1, total: 1 },
      results: { total: 1 },
    })
    expect((await world.admin.delete(path)).status).toBe(204)
    expect((await world.admin.get(path)).status).toBe(404)
  })

  test('is found by its values', async () => {
    const flow = await makeFlow(world.admin, 'finds', {
      name: { field_type: 'string' },
      wings: { field_type: 'integer' },
      mass: { field_type: 'float' },
      tame: { field_type: 'boolean' },
    })
    await flow.create({ name: 'a', wings: 1, mass: 0.5, tame: true })
    await flow.create({ name: 'ab', wings: 2, mass: 1.5, tame: false })
    await flow.create({ name: 'b', wings: 3, mass: 2.5, tame: null })
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['eq(name,a)', ['a']],
      ['like(name,a*)', ['a', 'ab']],
      ['in(name,a,b)', ['a', 'b']],
      ['ge(wings,2)', ['ab', 'b']],
      ['eq(mass,1.5)', ['ab']],
      ['eq(tame,true)', ['a']],
      ['is_null(tame)', ['b']],
      ['gt(wings,1):eq(tame,false)', ['ab']],
      ['eq(owner,store)', ['a', 'ab', 'b']],
      ['eq(owner,organization)', []],
    ]
    for (const [filter, names] of cases) {
      const reply = await world.admin.get(`${flow.entries}?filter=${encodeURIComponent(filter)}`)
      expect([filter, reply.status, reply.body.errors], filter).toEqual([filter, 200, undefined])
      expect([filter, namesOf(reply), reply.body.meta.results.total]).toEqual([filter, names, names.length])
    }
    for (const filter of ['eq(wings,many)', 'eq(tame,1)', 'eq(colour,red)', 'like(wings,1*)']) {
      const reply = await world.admin.get(`${flow.entries}?filter=${filter}`)
      expect([filter, reply.status, reply.body.errors?.[0].code]).toEqual([filter, 400, 'bad_filter'])
    }
    await flow.change('wings', { slug: 'pairs' })
    const renamed = await world.admin.get(`${flow.entries}?filter=ge(pairs,2)`)
    expect(namesOf(renamed)).toEqual(['ab', 'b'])
    expect((await world.admin.get(`${flow.entries}?filter=ge(wings,2)`)).status).toBe(400)
    await flow.drop('wings')
    const left = await world.admin.get(flow.entries)
    expect(left.body.data.map((one: object) => Object.keys(one).includes('pairs'))).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('a template', () => {
  test('has one entry for each product, which is changed when it is sent again', async () => {
    const template = await makeFlow(world.admin, 'products(book)', {
      isbn: { field_type: 'string' },
      pages: { field_type: 'integer' },
    })
    const product = await world.admin.post('/pcm/products', {
      data: { type: 'product', attributes: { name: 'A book', commodity_type: 'physical' } },
    })
    const { id } = product.body.data
    expect((await template.create({ isbn: '1' })).status).toBe(422)
    expect((await template.create({ id: crypto.randomUUID(), isbn: '1' })).status).toBe(404)
    const reply = await template.create({ id, isbn: '1', pages: 10 })
    expect([reply.status, reply.body.data.id, reply.body.data.isbn]).toEqual([201, id, '1'])
    const again = await template.create({ id, isbn: '2' })
    expect([again.status, again.body.data.isbn, again.body.data.pages]).toEqual([201, '2', 10])
    expect((await world.admin.get(template.entries)).body.meta.results.total).toBe(1)
    const touched = await world.admin.get(`/pcm/products/${id}`)
    expect(touched.headers.get('etag')).not.toBe(product.headers.get('etag'))
    expect((await world.admin.delete(`/pcm/products/${id}`)).status).toBe(204)
    expect((await world.admin.get(template.entries)).body.meta.results.total).toBe(0)
  })

  test('is created once for a product by concurrent creates', async () => {
    const template = await makeFlow(world.admin, 'products(race)', { n: { field_type: 'integer' } })
    const product = await world.admin.post('/pcm/products', {
      data: { type: 'product', attributes: { name: 'A race', commodity_type: 'physical' } },
    })
    const { id } = product.body.data
    const replies = await Promise.all([1, 2, 3, 4, 5].map((n) => template.create({ id, n })))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect((await world.admin.get(template.entries)).body.meta.results.total).toBe(1)
  })
})

describe('links of an entry', () => {
  test('are added, replaced and removed', async () => {
    const flow = await makeFlow(world.admin, 'wishlists', {
      title: { field_type: 'string' },
      wishes: { field_type: 'relationship', validation_rules: [{ type: 'one-to-many', to: 'product' }] },
      owner: { field_type: 'relationship', validation_rules: [{ type: 'one-to-one', to: 'customer' }] },
    })
    const { body } = await flow.create({ title: 'Mine' })
    const path = `${flow.entries}/${body.data.id}/relationships`
    const link = (id: string) => ({ id, type: 'product' })
    const added = await world.admin.post(`${path}/wishes`, { data: [link('a'), link('b'), link('a')] })
    expect([added.status, added.body]).toEqual([201, { data: [link('a'), link('b')] }])
    const more = await world.admin.post(`${path}/wishes`, { data: [link('c')] })
    expect(more.body.data).toEqual([link('a'), link('b'), link('c')])
    const replaced = await world.admin.put(`${path}/wishes`, { data: [link('b'), link('d')] })
    expect([replaced.status, replaced.body.data]).toEqual([201, [link('b'), link('d')]])
    const one = await world.admin.post(`${path}/owner`, { data: { id: 'x', type: 'customer' } })
    expect([one.status, one.body.data]).toEqual([201, [{ id: 'x', type: 'customer' }]])
    expect((await world.admin.get(`${flow.entries}/${body.data.id}`)).body.data.relationships).toEqual({
      wishes: { data: [link('b'), link('d')] },
      owner: { data: { id: 'x', type: 'customer' } },
    })
    expect(
      (await world.admin.send('DELETE', `${path}/wishes`, { body: JSON.stringify({ data: [link('b')] }) }))
        .status,
    ).toBe(204)
    expect((await world.admin.delete(`${path}/owner`)).status).toBe(204)
    const shown = (await world.admin.get(`${flow.entries}/${body.data.id}`)).body.data
    expect([shown.title, shown.relationships]).toEqual(['Mine', { wishes: { data: [link('d')] } }])
    expect((await world.admin.post(`${path}/title`, { data: [link('a')] })).status).toBe(404)
    expect((await world.admin.post(`${path}/wishes`, { data: [{ id: 'a' }] })).status).toBe(422)
  })
})
