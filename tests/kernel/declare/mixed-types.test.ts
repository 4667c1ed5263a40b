import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { action } from '../../../server/kernel/declare/action.ts'
import { type Resource, resource } from '../../../server/kernel/declare/resource.ts'
import { module } from '../../../server/kernel/module.ts'
import { create } from '../../../server/kernel/request/operations.ts'
import type { Envelope } from '../../../server/kernel/shape/envelope.ts'
import { choice, text } from '../../../server/kernel/shape/fields.ts'
import { walks } from '../../../server/kernel/shape/model.ts'
import { keys } from '../../../server/people/index.ts'
import { mergeTotals } from '../../support/merge-totals.ts'
import { databaseUrl } from '../../support/own-database.ts'
import { openWorld, type World } from '../../support/world.ts'
import {
  area,
  changeOf,
  type Document,
  expectDocumented,
  expectOpenApi,
  now,
  refusal,
  seconds,
  storedRow,
  table,
} from './envelopes.ts'

const plain: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '/v2' },
}

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
    title: text({ about: 'Any.', example: 'Mine' }),
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
let document: Document
let atMs = Date.parse(now)
beforeAll(async () => {
  world = await openWorld({
    clock: { now: () => new Date(atMs) },
    modules: [
      keys,
      module({
        name: 'lines',
        about: 'Of several types.',
        resources: [lines, lists],
        actions: [createLineAs],
      }),
    ],
    sql: [
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
      expectDocumented(document, 'Line', body.data)
      expect((await world.admin.get(`/v2/lines/${id}`)).body).toEqual(body)
      expect(await changeOf(world, id)).toEqual({ type, doc: { type, attributes: { name: 'One' } } })
    }
    const { body } = await world.admin.get('/v2/lines?filter=eq(type,special_line)')
    expect(new Set(body.data.map(({ type }: { type: string }) => type))).toEqual(new Set(['special_line']))
  })

  test('shows them so with fields at the top too, and with the id as a field', async () => {
    const data = { type: 'short_list', id: 'mine' }
    const { body } = await world.admin.post('/v2/lists', { data })
    const meta = { timestamps: { created_at: now, updated_at: now } }
    expect(body).toEqual({ data: { ...data, meta, links: { self: '/lists/mine' } } })
    expectDocumented(document, 'List', body.data)
    expect((await world.admin.get('/v2/lists/mine')).body).toEqual(body)
    const { rows } = await world.sql('SELECT id FROM lists')
    expect(await changeOf(world, rows[0].id)).toEqual({ type: 'short_list', doc: data })
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
  const later = { ...data, attributes: { name: 'Later' } }
  const changed = (await world.admin.put(`/v2/lines/${id}`, { data: later })).body.data.attributes
  atMs = Date.parse(now)
  expect([attributes.created_at, changed.updated_at]).toEqual([
    '2040-01-31T09:30:59Z',
    '2040-01-31T09:31:00Z',
  ])
  const { created_at, updated_at } = await storedRow(world, lines, id)
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
    await mergeTotals(databaseUrl(inject('postgres'), world.database))
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
    await world.admin.put(`/v2/lists/${second}`, { data: { type: 'long_list', title: 'Changed' } })
    atMs = Date.parse(now)
    const order = await inOrder(lists, 'updated_at DESC, id DESC')
    expect(order[0]).toBe(second)
    expect(ids(await world.admin.get('/v2/lists'))).toEqual(order)
    expect(ids(await world.admin.get('/v2/lists?page[limit]=2&page[offset]=1'))).toEqual(order.slice(1, 3))
    expect((await links('/v2/lists?page[limit]=1&page[after]=', 'next')).flat()).toEqual(order)
    expect(document.paths['/v2/lists'].get.description).toContain('the most recently changed first')
  })
})

test('the API document of mixed types is OpenAPI 3.1', () => expectOpenApi(document))
