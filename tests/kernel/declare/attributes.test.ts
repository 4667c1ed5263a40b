import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { module } from '../../../server/kernel/module.ts'
import { choice, field, text } from '../../../server/kernel/shape/fields.ts'
import { walks } from '../../../server/kernel/shape/model.ts'
import { keys } from '../../../server/people/index.ts'
import { openWorld, type World } from '../../support/world.ts'
import {
  area,
  changeOf,
  type Document,
  expectDocumented,
  expectOpenApi,
  now,
  refusal,
  storedRow,
  table,
} from './envelopes.ts'

/** As products are. */
const parts = resource({
  type: 'part',
  noun: ['part', 'parts'],
  about: 'What a machine is made of.',
  path: '/v2/parts',
  table: 'parts',
  fields: {
    name: text({ required: true, min: 1, max: 40, about: 'Shown to people.', example: 'Sprocket' }),
    code: text({ immutable: true, about: 'Never changes.', example: 'sp-1' }),
    state: choice(['draft', 'live'], { default: 'draft', about: 'Who may see it.' }),
    drawing: text({ hidden: true, about: 'Kept to ourselves.' }),
    relationships: field<{ machine?: { data: { type: 'machine'; id: string } } } | undefined>(
      { type: 'object' },
      { readOnly: true, about: 'Its machine.' },
    ),
  },
  filter: { ...walks, name: ['eq', 'like'] },
  sort: ['created_at', 'id', 'name'],
  area,
  envelope: { times: 'meta', digits: 3, fields: 'attributes', links: 'none', href: 'absolute' },
  beforeWrite: (_ctx, { values, before }) => {
    if (before?.doc.state === 'live' && values.state === 'draft') {
      throw new Problem('unprocessable', 'A live part stays live.', { source: 'data.attributes.state' })
    }
    values.relationships = { machine: { data: { type: 'machine', id: values.name } } }
  },
})

let world: World
let document: Document
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(now) },
    modules: [keys, module({ name: 'parts', about: 'Of machines.', resources: [parts] })],
    sql: table(
      'parts',
      `'part'`,
      `name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,`,
    ),
  })
  document = (await world.nobody.get('/openapi.json')).body
})
afterAll(() => world.close())

describe('fields under attributes', () => {
  const newPart = async (attributes: object) =>
    (await world.admin.post('/v2/parts', { data: { type: 'part', attributes } })).body.data
  const put = (id: string, attributes: object) =>
    world.admin.put(`/v2/parts/${id}`, { data: { type: 'part', attributes } })

  test('are read, completed, shown and stored there, and rules see them as plain values', async () => {
    const { id } = await newPart({ name: 'Cog', code: 'c-1', drawing: 'not for you' })
    const relationships = { machine: { data: { type: 'machine', id: 'Cog' } } }
    const meta = { created_at: now, updated_at: now }
    const attributes = { name: 'Cog', code: 'c-1', state: 'draft' }
    const { body } = await world.admin.get(`/v2/parts/${id}`)
    expect(body).toEqual({ data: { type: 'part', id, attributes, relationships, meta } })
    expectDocumented(document, 'Part', body.data)
    const { doc, hidden } = await storedRow(world, parts, id)
    expect(doc).toBe(JSON.stringify({ attributes, relationships }))
    expect(hidden).toEqual({ drawing: 'not for you' })
    expect(await changeOf(world, id)).toEqual({ type: 'part', doc: { attributes, relationships } })
    const live = await put(id, { state: 'live' })
    expect([live.status, live.body.data.attributes]).toEqual([200, { ...attributes, state: 'live' }])
    expect((await storedRow(world, parts, id)).hidden).toEqual({ drawing: 'not for you' })
    expect(refusal(await put(id, { state: 'draft' }))).toMatchObject({
      status: '422',
      source: 'data.attributes.state',
    })
  })

  test('are accepted as they were shown', async () => {
    const { id } = await newPart({ name: 'Cam', code: 'c-2' })
    const before = await world.admin.get(`/v2/parts/${id}`)
    const whole = await world.admin.put(`/v2/parts/${id}`, before.body)
    expect([whole.status, whole.body]).toEqual([200, before.body])
    const none = await world.admin.put(`/v2/parts/${id}`, { data: { type: 'part' } })
    expect([none.status, none.body]).toEqual([200, before.body])
  })

  test('are not read from anywhere else', async () => {
    const reply = await world.admin.post('/v2/parts', {
      data: { type: 'part', name: 'Outside', state: 17, attributes: { name: 'Inside', type: 'x', id: 'y' } },
    })
    expect([reply.status, reply.body.data.type]).toEqual([201, 'part'])
    expect(reply.body.data.attributes).toEqual({ name: 'Inside', state: 'draft' })
  })

  test('are refused under their path', async () => {
    const post = async (data: object) => refusal(await world.admin.post('/v2/parts', { data }))
    const at = (source: string) => ({ status: '400', source, detail: expect.stringContaining(source) })
    expect(await post({ type: 'part' })).toMatchObject(at('data.attributes'))
    expect(await post({ type: 'part', name: 'Flat' })).toMatchObject(at('data.attributes'))
    expect(await post({ type: 'part', attributes: [] })).toMatchObject(at('data.attributes'))
    expect(await post({ type: 'part', attributes: {} })).toMatchObject(at('data.attributes.name'))
    expect(await post({ type: 'part', attributes: { name: 17 } })).toMatchObject(at('data.attributes.name'))
    expect(await post({ attributes: { name: 'Typeless' } })).toMatchObject(at('data.type'))
    const { id } = await newPart({ name: 'Fixed', code: 'c-3' })
    expect(refusal(await put(id, { code: 'c-4' }))).toMatchObject({
      ...at('data.attributes.code'),
      status: '422',
    })
  })

  test('are filtered, sorted and walked by their own names', async () => {
    for (const name of ['Sprocket b', 'Sprocket a', 'Sprocket c']) await newPart({ name })
    const names = ({ body }: { body: { data: { attributes: { name: string } }[] } }) =>
      body.data.map(({ attributes }) => attributes.name)
    expect(names(await world.admin.get('/v2/parts?filter=eq(name,Sprocket%20b)'))).toEqual(['Sprocket b'])
    const walk = '/v2/parts?filter=like(name,Sprocket*)&sort=name&page[limit]=1&page[after]='
    const met: string[] = []
    for (let at: string | null = walk; at; ) {
      const page = await world.admin.get(at)
      met.push(...names(page))
      at = page.body.links.next
    }
    expect(met).toEqual(['Sprocket a', 'Sprocket b', 'Sprocket c'])
  })

  test('are documented there, in requests too', () => {
    const { NewPart, PartChanges } = document.components.schemas
    expect([NewPart.required, NewPart.properties.attributes.required]).toEqual([
      ['type', 'attributes'],
      ['name'],
    ])
    expect(Object.keys(NewPart.properties.attributes.properties)).toEqual([
      'name',
      'code',
      'state',
      'drawing',
    ])
    expect([PartChanges.required, PartChanges.properties.attributes.required]).toEqual([['type'], []])
    const { requestBody } = document.paths['/v2/parts'].post
    expect(requestBody.content['application/json'].example).toEqual({
      data: { type: 'part', attributes: { name: 'Sprocket', code: 'sp-1', state: 'draft' } },
    })
  })
})

test('the API document of attributes is OpenAPI 3.1', () => expectOpenApi(document))
