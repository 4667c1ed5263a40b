import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { action } from '../../server/kernel/declare/action.ts'
import { type Resource, resource } from '../../server/kernel/declare/resource.ts'
import { Problem } from '../../server/kernel/errors.ts'
import { module } from '../../server/kernel/module.ts'
import { create } from '../../server/kernel/request/operations.ts'
import { type Envelope, linksBeside } from '../../server/kernel/shape/envelope.ts'
import { choice, readOnlyObject, text } from '../../server/kernel/shape/fields.ts'
import { walks } from '../../server/kernel/shape/model.ts'
import { keys } from '../../server/keys/index.ts'
import { mergeTotals } from '../support/merge-totals.ts'
import { openWorld, type World } from '../support/world.ts'

/** What the public contract asks for somewhere, whether a resource of today is of that kind or not. */

const area = 'settings'
// Later than the template's store was made, which is the world's own by being the first.
const now = '2040-01-31T09:30:00.678Z'
const seconds = '2040-01-31T09:30:00Z'

const table = (name: string, type: string, columns = '') => `
  CREATE TABLE ${name} (
    store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, doc json NOT NULL, hidden json,
    ${columns} CONSTRAINT ${name}_pkey PRIMARY KEY (store_id, id));
  CREATE INDEX ${name}_by_created_at ON ${name} (store_id, created_at, id);
  CREATE INDEX ${name}_by_updated_at ON ${name} (store_id, updated_at, id);
  CALL track('${name}', $$${type}$$);`

const plain: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '/v2' },
}

/** All there are, each on its own path. */
const specimens = (['top', 'attributes'] as const).flatMap((fields) =>
  (['meta', 'meta.timestamps', 'fields', 'none'] as const).flatMap((times) =>
    ([0, 3, 6] as const).flatMap((digits) =>
      (['beside', 'single', 'inside', 'none'] as const).map((links, i) => {
        const href = i === 0 ? ('absolute' as const) : { after: '/v2' }
        const name = [fields, times.replace('.', '-'), digits, links].join('-')
        const envelope: Envelope = { times, digits, fields, links, href }
        return { name, envelope, specimen: specimenOf(name, envelope) }
      }),
    ),
  ),
)

function specimenOf(name: string, envelope: Envelope): Resource {
  return resource({
    type: 'specimen',
    noun: [`specimen-${name}`, `specimens-${name}`],
    about: 'One of each envelope.',
    path: `/v2/specimens-${name}`,
    table: `specimens_${envelope.fields}`,
    fields: { name: text({ about: 'Any.' }), relationships: readOnlyObject({}) },
    area,
    envelope,
    meta: {
      fields: {
        owner: text({ about: 'Whose it is.' }),
        ends_at: text({ format: 'date-time', nullable: true, about: 'When it ends.' }),
      },
      of: ({ createdAt }) => ({ owner: 'store', ends_at: createdAt }),
    },
    also: {
      fields: { at: text({ format: 'uri', about: 'Where it is shown.' }) },
      of: ({ id }, { baseUrl }) => ({ at: `${baseUrl}/shown/${id}` }),
    },
    beforeWrite: (_ctx, { values }) => {
      values.relationships = { parts: { data: [] } }
    },
  })
}

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
    relationships: readOnlyObject<{ machine?: { data: { type: 'machine'; id: string } } }>(
      {},
      { about: 'Its machine.' },
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

const lineTypes = ['plain_line', 'special_line'] as const

/** As the items of a cart are, with the times of a price book. */
const lines = resource({
  type: 'line',
  noun: ['line', 'lines'],
  about: 'A line of a list that mixes types.',
  path: '/v2/lines',
  table: 'lines',
  fields: {
    name: text({ required: true, about: 'Any.', example: 'One' }),
    type: choice(lineTypes, {
      required: true,
      immutable: true,
      about: 'What kind of line.',
      example: 'plain_line',
    }),
  },
  filter: { ...walks, type: ['eq'] },
  sort: ['created_at', 'updated_at'],
  order: 'created_at',
  area,
  envelope: { times: 'fields', digits: 0, fields: 'attributes', links: 'inside', href: { after: '/v2' } },
})

/** As carts are: named by the client, the last changed first. */
const lists = resource({
  type: 'list',
  noun: ['list', 'lists'],
  about: 'What was changed last is shown first.',
  path: '/v2/lists',
  table: 'lists',
  fields: {
    type: choice(['short_list', 'long_list'], { required: true, about: 'How long.', example: 'long_list' }),
    id: text({ required: true, immutable: true, about: 'Any.', example: 'mine' }),
  },
  key: { field: 'id', where: (name, bind) => `name = ${bind(name)}` },
  order: '-updated_at',
  area,
  envelope: plain,
})

/** Makes a line under an id of the caller's. */
const createLineAs = action({
  name: 'create-line-as',
  route: 'POST /v2/lines-as/:id',
  about: 'Makes a line under an id.',
  area,
  status: 201,
  run: (ctx, call) => create(ctx, lines, [], { ...call, body: call.rawBody }, call.params.id),
})

let world: World
// biome-ignore lint/suspicious/noExplicitAny: its shape is what a test is about.
let document: any
let atMs = Date.parse(now)
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(atMs) },
    modules: [
      keys,
      module({
        name: 'specimens',
        about: 'Of every envelope.',
        resources: [...specimens.map(({ specimen }) => specimen), parts, lines, lists],
        actions: [createLineAs],
      }),
    ],
    sql: [
      table('specimens_top', `'specimen'`),
      table('specimens_attributes', `'specimen'`),
      table(
        'parts',
        `'part'`,
        `name text COLLATE "C" GENERATED ALWAYS AS (doc->'attributes'->>'name') STORED NOT NULL,`,
      ),
      table(
        'lines',
        `r.doc->>'type'`,
        `type text COLLATE "C" GENERATED ALWAYS AS (doc->>'type') STORED NOT NULL,`,
      ),
      table('lists', `r.doc->>'type'`, `name text GENERATED ALWAYS AS (doc->>'id') STORED NOT NULL,`),
    ].join('\n'),
  })
  document = (await world.nobody.get('/openapi.json')).body
})
afterAll(() => world.close())

const stored = async (of: Resource, id: string) => {
  const { rows } = await world.sql(
    `SELECT doc::text, hidden, created_at, updated_at FROM ${of.table} WHERE id = $1`,
    [id],
  )
  return rows[0]
}

const changeOf = async (id: string) => {
  const { rows } = await world.feed('SELECT type, doc FROM changes WHERE id = $1 ORDER BY position DESC', [
    id,
  ])
  return rows[0]
}

const refusal = ({
  status,
  body,
}: {
  status: number
  body: { errors: { source?: string; detail: string }[] }
}) => ({
  status,
  ...body.errors[0],
})

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv, ['date-time', 'uri', 'uuid'])

/** The answer is what the API document says of it, and says no more. */
function expectDocumented(name: string, data: object) {
  const schema = document.components.schemas[name]
  const closed = JSON.parse(
    JSON.stringify(schema, (_key, value) =>
      value?.properties ? { ...value, unevaluatedProperties: false } : value,
    ),
  )
  const validate = ajv.compile(closed)
  expect([validate(data), validate.errors]).toEqual([true, null])
}

describe.each(specimens)('$name', ({ name, envelope, specimen }) => {
  const time = { 0: seconds, 3: now, 6: '2040-01-31T09:30:00.678000Z' }[envelope.digits]
  const times = { created_at: time, updated_at: time }

  test('places everything as declared, in answers, in lists and in the API document', async () => {
    const fields = { name: 'One', ...(envelope.times === 'fields' && times) }
    const meta = {
      meta: { ...times, ends_at: time, owner: 'store' },
      'meta.timestamps': { timestamps: { ...times, ends_at: time }, owner: 'store' },
      fields: { ends_at: time, owner: 'store' },
      none: { ends_at: time, owner: 'store' },
    }[envelope.times]
    const sent = envelope.fields === 'top' ? { name: 'One' } : { attributes: { name: 'One' } }
    const reply = await world.admin.post(specimen.path, { data: { type: 'specimen', ...sent } })
    const { id } = reply.body.data
    const object = {
      type: 'specimen',
      id,
      ...(envelope.fields === 'top' ? fields : { attributes: fields }),
      relationships: { parts: { data: [] } },
      at: `${world.url}/shown/${id}`,
      meta,
    }
    const self = envelope.href === 'absolute' ? world.url + specimen.path : specimen.path.replace('/v2', '')
    const links = { links: { self: `${self}/${id}` } }
    const [beside, inside] = [linksBeside(envelope) && links, envelope.links === 'inside' && links]
    const single = { data: { ...object, ...inside }, ...beside }
    expect([reply.status, reply.body]).toEqual([201, single])
    expect((await world.admin.get(`${specimen.path}/${id}`)).body).toEqual(single)
    const inList = { ...object, ...(['beside', 'inside'].includes(envelope.links) && links) }
    const list = await world.admin.get(specimen.path)
    expect(list.body.data.find((one: { id: string }) => one.id === id)).toEqual(inList)
    expectDocumented(
      `Specimen-${name}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      inList,
    )
    const doc = JSON.parse((await stored(specimen, id)).doc)
    expect(doc).toEqual({ ...sent, relationships: { parts: { data: [] } } })
  })
})

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
    expectDocumented('Part', body.data)
    const { doc, hidden } = await stored(parts, id)
    expect(doc).toBe(JSON.stringify({ attributes, relationships }))
    expect(hidden).toEqual({ drawing: 'not for you' })
    expect(await changeOf(id)).toEqual({ type: 'part', doc: { attributes, relationships } })
    const live = await put(id, { state: 'live' })
    expect([live.status, live.body.data.attributes]).toEqual([200, { ...attributes, state: 'live' }])
    expect((await stored(parts, id)).hidden).toEqual({ drawing: 'not for you' })
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

describe('a list that mixes types', () => {
  const newLine = (type: string, name = 'One') =>
    world.admin.post('/v2/lines', { data: { type, attributes: { name } } })

  test('shows each object under its own type, in the feed too', async () => {
    for (const type of lineTypes) {
      const { body } = await newLine(type)
      const { id } = body.data
      expect(body.data).toEqual({
        type,
        id,
        attributes: { name: 'One', created_at: seconds, updated_at: seconds },
        links: { self: `/lines/${id}` },
      })
      expectDocumented('Line', body.data)
      expect((await world.admin.get(`/v2/lines/${id}`)).body).toEqual(body)
      expect(await changeOf(id)).toEqual({ type, doc: { type, attributes: { name: 'One' } } })
    }
    const { body } = await world.admin.get('/v2/lines?filter=eq(type,special_line)')
    expect(new Set(body.data.map(({ type }: { type: string }) => type))).toEqual(new Set(['special_line']))
  })

  test('shows them so with fields at the top too, and with the id as a field', async () => {
    const data = { type: 'short_list', id: 'mine' }
    const { body } = await world.admin.post('/v2/lists', { data })
    const meta = { timestamps: { created_at: now, updated_at: now } }
    expect(body).toEqual({ data: { ...data, meta, links: { self: '/lists/mine' } } })
    expectDocumented('List', body.data)
    expect((await world.admin.get('/v2/lists/mine')).body).toEqual(body)
    const { rows } = await world.sql('SELECT id FROM lists')
    expect(await changeOf(rows[0].id)).toEqual({ type: 'short_list', doc: data })
  })

  test('accepts each of its types and no other, and an object keeps its type', async () => {
    const other = refusal(await newLine('line'))
    expect(other).toMatchObject({ status: '400', source: 'data.type' })
    for (const type of lineTypes) expect(other.detail).toContain(type)
    const untyped = await world.admin.post('/v2/lines', { data: { attributes: { name: 'x' } } })
    expect(refusal(untyped)).toMatchObject({ status: '400', source: 'data.type' })
    const { id } = (await newLine('plain_line')).body.data
    const put = (type: string) =>
      world.admin.put(`/v2/lines/${id}`, { data: { type, attributes: { name: 'Two' } } })
    expect(refusal(await put('special_line'))).toMatchObject({ status: '422', source: 'data.type' })
    const { status, body } = await put('plain_line')
    expect([status, body.data.type, body.data.attributes.name]).toEqual([200, 'plain_line', 'Two'])
  })

  test('names the type of the object that already exists', async () => {
    const path = '/v2/lines-as/0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
    const body = { data: { type: 'special_line', attributes: { name: 'One' } } }
    expect((await world.admin.post(path, body)).status).toBe(201)
    expect(refusal(await world.admin.post(path, body))).toMatchObject({
      status: '409',
      detail: 'special_line with the given id already exists',
    })
  })

  test('is documented with all of its types', () => {
    const { Line, NewLine } = document.components.schemas
    for (const { properties } of [Line, NewLine]) expect(properties.type.enum).toEqual(lineTypes)
    expect(NewLine.required).toEqual(['type', 'attributes'])
  })
})

test('where no fraction of a second is shown, none is stored: a filter by the shown time finds the object', async () => {
  const data = { type: 'plain_line', attributes: { name: 'Late' } }
  atMs = Date.parse('2040-01-31T09:30:59.999Z')
  const { id, attributes } = (await world.admin.post('/v2/lines', { data })).body.data
  atMs += 1000
  const changed = (await world.admin.put(`/v2/lines/${id}`, { data })).body.data.attributes
  atMs = Date.parse(now)
  expect([attributes.created_at, changed.updated_at]).toEqual([
    '2040-01-31T09:30:59Z',
    '2040-01-31T09:31:00Z',
  ])
  const { created_at, updated_at } = await stored(lines, id)
  expect([created_at.toISOString(), updated_at.toISOString()]).toEqual([
    '2040-01-31T09:30:59.000Z',
    '2040-01-31T09:31:00.000Z',
  ])
  const { body } = await world.admin.get(`/v2/lines?filter=eq(updated_at,${changed.updated_at})`)
  expect(body.data.map((one: { id: string }) => one.id)).toEqual([id])
})

describe('a list in an order of its own', () => {
  const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)
  const inOrder = async (of: Resource, order: string) => {
    const { rows } = await world.sql(
      `SELECT coalesce(doc->>'id', id::text) AS id FROM ${of.table} WHERE store_id = $1 ORDER BY ${order}`,
      [world.storeId],
    )
    return rows.map(({ id }) => id as string)
  }
  const links = async (from: string, direction: 'next' | 'prev') => {
    const met: string[][] = []
    for (let at: string | null = from; at; ) {
      const page = await world.admin.get(at)
      met.push(ids(page))
      at = page.body.links[direction]
    }
    return met
  }

  test('shows the oldest first, at any depth and by cursor, and documents it', async () => {
    await world.sql(
      `INSERT INTO lines (store_id, id, created_at, updated_at, doc)
       SELECT $1, gen_random_uuid(), t, t, '{"type":"plain_line","attributes":{"name":"Many"}}'
       FROM generate_series(1, 5000) g, LATERAL (SELECT timestamptz '2040-02-01Z' + (g / 3) * interval '1 s' AS t) at`,
      [world.storeId],
    )
    const order = await inOrder(lines, 'created_at, id')
    const expectPages = async () => {
      for (const offset of [0, 1, 250, 4096, order.length - 3, order.length]) {
        const page = await world.admin.get(`/v2/lines?page[limit]=5&page[offset]=${offset}`)
        expect([offset, ids(page)]).toEqual([offset, order.slice(offset, offset + 5)])
        expect(page.body.meta.results.total).toBe(order.length)
      }
    }
    await expectPages()
    await mergeTotals(world)
    const { rows } = await world.sql(`SELECT count(*)::int AS blocks FROM list_blocks WHERE list = 'lines'`)
    expect(rows[0].blocks).toBeGreaterThan(1)
    await expectPages()
    expect((await links('/v2/lines?page[limit]=100&page[after]=', 'next')).flat()).toEqual(order)
    const back = await links('/v2/lines?page[limit]=100&page[before]=', 'prev')
    expect(back.reverse().flat()).toEqual(order)
    const newest = await world.admin.get('/v2/lines?sort=-created_at&page[limit]=5')
    expect(ids(newest)).toEqual(order.slice(-5).reverse())
    const { get } = document.paths['/v2/lines']
    expect(get.description).toContain('the oldest first')
    const sort = get.parameters.find((one: { name?: string }) => one.name === 'sort')
    expect(sort.description).toContain('`created_at`, the oldest first')
  })

  test('shows the most recently changed first', async () => {
    for (const id of ['one', 'two', 'three']) {
      atMs += 1000
      await world.admin.post('/v2/lists', { data: { type: 'long_list', id } })
    }
    const [, second = ''] = ids(await world.admin.get('/v2/lists'))
    atMs += 1000
    await world.admin.put(`/v2/lists/${second}`, { data: { type: 'long_list' } })
    atMs = Date.parse(now)
    const order = await inOrder(lists, 'updated_at DESC, id DESC')
    expect(order[0]).toBe(second)
    expect(ids(await world.admin.get('/v2/lists'))).toEqual(order)
    expect(ids(await world.admin.get('/v2/lists?page[limit]=2&page[offset]=1'))).toEqual(order.slice(1, 3))
    expect((await links('/v2/lists?page[limit]=1&page[after]=', 'next')).flat()).toEqual(order)
    expect(document.paths['/v2/lists'].get.description).toContain('the most recently changed first')
  })
})

test('the API document of all envelopes is OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect([valid, errors]).toEqual([true, undefined])
})
