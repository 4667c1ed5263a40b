import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = '/v2/settings/extensions/custom-apis'
const body = (facts: object) => ({ data: { type: 'custom_api', ...facts } })
const facts = (name: string) => ({ name, slug: name, api_type: `${name}_ext` })
const under = (...links: [type: string, id: string][]) => ({
  relationships: { parent_apis: { data: links.map(([type, id]) => ({ type, id })) } },
})

test('a custom API is created with defaults, and an update changes only the sent fields', async () => {
  const reply = await world.admin.post(path, body(facts('birds')))
  expect(reply.status).toBe(201)
  const { id, meta } = reply.body.data
  expect(reply.body.data).toEqual({
    id,
    type: 'custom_api',
    ...facts('birds'),
    description: '',
    allow_upserts: false,
    relationships: { parent_apis: { data: [] } },
    links: { self: `/settings/extensions/custom-apis/${id}` },
    meta,
  })
  const changed = await world.admin.put(`${path}/${id}`, body({ allow_upserts: true }))
  expect(changed.body.data).toMatchObject({ ...facts('birds'), allow_upserts: true })
  const list = await world.admin.get(`${path}?filter=like(api_type,birds*):in(slug,birds,x)&sort=-api_type`)
  expect(list.body.data).toEqual([changed.body.data])
  expect(list.body.meta.results).toEqual({ total: 1, total_method: 'exact' })
  expect((await world.admin.get(`${path}?filter=eq(version,1)`)).body.errors[0].detail).toBe(
    'Invalid filter: unknown field [version] specified in search filter, allowed fields are ' +
      '[api_type created_at description id name slug updated_at]',
  )
})

test('slug and api_type are unique in the store', async () => {
  await world.admin.post(path, body(facts('one')))
  for (const [twin, name] of [
    [{ ...facts('two'), slug: 'one' }, 'slug'],
    [{ ...facts('two'), api_type: 'one_ext' }, 'api_type'],
  ] as const) {
    const refused = await world.admin.post(path, body(twin))
    expect(refused.status).toBe(409)
    expect(refused.body.errors[0].detail).toBe(`custom_api with the given ${name} already exists`)
  }
  expect((await world.other.post(path, body(facts('one')))).status).toBe(201)
})

test.each([
  ['name', ''],
  ['name', 'x'.repeat(256)],
  ['name', undefined],
  ['slug', 'Upper'],
  ['slug', ''],
  ['slug', 'x'.repeat(64)],
  ['api_type', 'no_suffix'],
  ['api_type', `${'x'.repeat(60)}_ext`],
  ['description', 'x'.repeat(256)],
  ['allow_upserts', 'yes'],
  ['type', 'other'],
])('refuses %s %j', async (name, value) => {
  const refused = await world.admin.post(path, body({ ...facts('refused'), [name]: value }))
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].source).toBe(`data.${name}`)
})

test('custom APIs nest two deep, and never in circles', async () => {
  const make = async (name: string, ...links: [string, string][]) =>
    world.admin.post(path, body({ ...facts(name), ...under(...links) }))
  const root = (await make('n0', ['api_location', '/v2/extensions'])).body.data.id
  const child = (await make('n1', ['custom_api', root])).body.data.id
  const grandchild = (await make('n2', ['custom_api', child])).body.data.id
  for (const refused of [
    await make('n3', ['custom_api', grandchild]),
    await make('n4', ['custom_api', randomUUID()]),
    await make('n5', ['custom_api', 'no-uuid']),
    await make('n6', ['api_location', '/v2/other']),
    await make('n7', ['other', root]),
    await world.admin.put(`${path}/${root}`, body(under(['custom_api', grandchild]))),
    await world.admin.put(`${path}/${root}`, body(under(['custom_api', root]))),
  ]) {
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].source).toContain('data.relationships.parent_apis')
  }
  expect((await world.admin.delete(`${path}/${root}`)).status).toBe(204)
  expect((await world.admin.get(`${path}/${child}`)).body.data.relationships).toEqual({
    parent_apis: { data: [] },
  })
})

test('deleting a custom API deletes its fields and entries, and the change feed has their types', async () => {
  const api = await makeApi(world.admin, { a: ['string'] })
  const { id } = (await api.create({ a: 'x' })).body.data
  expect((await world.admin.delete(api.settings)).status).toBe(204)
  expect((await world.admin.get(api.entries)).status).toBe(404)
  const feed = await world.feed('SELECT type, event FROM changes WHERE id = $1 ORDER BY position', [id])
  expect(feed.rows).toEqual([
    { type: api.type, event: 'created' },
    { type: api.type, event: 'deleted' },
  ])
  const left = await world.sql(
    'SELECT (SELECT count(*) FROM entry_values WHERE entry_id = $1) + (SELECT count(*) FROM custom_fields WHERE custom_api_id = $2) AS n',
    [id, api.id],
  )
  expect(left.rows[0].n).toBe('0')
})

test('each create of an entry while its API is deleted is a 201 or a 404', async () => {
  const api = await makeApi(world.admin, { a: ['string'] })
  const creating = Array.from({ length: 20 }, (_, n) => api.create({ a: `${n}` }))
  const deleted = world.admin.delete(api.settings)
  const more = Array.from({ length: 20 }, (_, n) => api.create({ a: `${n}` }))
  const statuses = (await Promise.all([...creating, ...more])).map(({ status }) => status)
  expect((await deleted).status).toBe(204)
  expect(statuses.filter((status) => status !== 201 && status !== 404)).toEqual([])
  const left = await world.sql('SELECT count(*) AS n FROM entries WHERE custom_api_id = $1', [api.id])
  expect(left.rows[0].n).toBe('0')
})

test('a new api_type changes the entity tag of every entry', async () => {
  const api = await makeApi(world.admin, { a: ['string'] })
  const { id, meta } = (await api.create({ a: 'x' })).body.data
  await world.admin.put(api.settings, body({ api_type: 'renamed_ext', slug: 'renamed' }))
  const { data } = (await world.admin.get(`/v2/extensions/renamed/${id}`)).body
  expect(data).toMatchObject({ type: 'renamed_ext', links: { self: `/extensions/renamed/${id}` } })
  expect(data.meta.etag_id).not.toBe(meta.etag_id)
  expect((await world.admin.get(api.entries)).status).toBe(404)
})

test('the API document describes the entries as they are defined', async () => {
  const api = await makeApi(
    world.admin,
    {
      title: ['string', { max_length: 20, regex: '^[A-Z]', allow_null_values: false }],
      count: ['integer', { min_value: 0 }],
      tags: ['list', { allowed_type: 'string' }],
      rest: ['any'],
    },
    { allow_upserts: true },
  )
  const { body: document, status } = await world.admin.get('/v2/settings/extensions/specifications/openapi')
  expect(status).toBe(200)
  expect(document.openapi).toBe('3.1.0')
  expect(document.paths[api.entries].post.responses['201'].headers.ETag).toBeDefined()
  expect(Object.keys(document.paths[`${api.entries}/{entry}`])).toEqual([
    'parameters',
    'get',
    'put',
    'delete',
  ])
  const { properties } = document.components.schemas[api.type]
  expect(properties).toMatchObject({
    type: { const: api.type },
    title: { type: 'string', maxLength: 20, pattern: '^[A-Z]' },
    count: { type: ['integer', 'null'], minimum: 0 },
    tags: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
    rest: {},
  })
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name as string])
  const ids = JSON.stringify(document).match(/"operationId":"[^"]+"/g) as string[]
  expect(new Set(ids).size).toBe(ids.length)
  expect((await world.shopper.get('/v2/settings/extensions/specifications/openapi')).status).toBe(403)
})

test('the API document says how the entries can be queried, and what the caller needs for that', async () => {
  const api = await makeApi(world.admin, { title: ['string'], count: ['integer'] })
  const { body: document } = await world.admin.get('/v2/settings/extensions/specifications/openapi')
  const { get, post } = document.paths[api.entries]
  const facts = get['x-sutler-list']
  expect([facts.type, facts.sort]).toEqual([api.type, ['created_at', 'id', 'updated_at']])
  expect(facts.filter.title.operators).toContain('like')
  for (const [field, { operators }] of Object.entries<{ operators: string[] }>(facts.filter))
    for (const operator of operators) {
      const value = operator === 'is_null' ? '' : `,${/_at$/.test(field) ? '2026-01-01T00:00:00Z' : '1'}`
      const term = `${operator}(${field}${/^id$/.test(field) ? `,${api.id}` : value})`
      expect([term, (await world.admin.get(`${api.entries}?filter=${term}`)).status]).toEqual([term, 200])
    }
  expect([get['x-sutler-right'], post['x-sutler-right']]).toEqual([
    'read custom-entries',
    'write custom-entries',
  ])
  const dryRun = { prefer: 'dry-run' }
  const reply = await world.admin.post(api.entries, api.entry({ count: 'x' }), dryRun)
  expect(reply.status).toBe(400)
  expect(post.parameters).toContainEqual({ $ref: '#/components/parameters/dryRun' })
})
