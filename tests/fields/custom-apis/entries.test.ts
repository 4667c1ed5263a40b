import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

describe('an entry', () => {
  test('is created as in the public contract, and reads the same at both addresses', async () => {
    const api = await makeApi(world.admin, { title: ['string'], copies: ['integer'], lent: ['boolean'] })
    const reply = await api.create({ title: 'Möwe', copies: 3, shelf: 'ignored' })
    expect(reply.status).toBe(201)
    const { id, meta } = reply.body.data
    expect(reply.body).toEqual({
      data: {
        id,
        type: api.type,
        title: 'Möwe',
        copies: 3,
        lent: null,
        links: { self: `/extensions/${api.slug}/${id}` },
        meta: {
          timestamps: {
            created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
            updated_at: meta.timestamps.created_at,
          },
          data_size: 6,
          resource_version: 0,
          etag_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    })
    expect(reply.headers.get('etag')).toBe(`W/"${meta.etag_id}"`)
    for (const path of [`${api.entries}/${id}`, `${api.settings}/entries/${id}`]) {
      const read = await world.admin.get(path)
      expect(read.body).toEqual(reply.body)
      expect(read.headers.get('etag')).toBe(`W/"${meta.etag_id}"`)
    }
    const other = await world.admin.post(`${api.settings}/entries`, api.entry({ title: 'Tern' }))
    expect(other.status).toBe(201)
    const list = await world.admin.get(`${api.settings}/entries?sort=created_at`)
    expect(list.body.data).toEqual([reply.body.data, other.body.data])
    expect(list.body.meta).toEqual({
      page: { limit: 25, offset: 0, current: 1, total: 1 },
      results: { total: 2, total_method: 'exact' },
    })
  })

  test('is changed in part, and If-Match guards changes and deletes', async () => {
    const api = await makeApi(world.admin, { title: ['string'], copies: ['integer'], notes: ['any'] })
    const reply = await api.create({ title: 'Gull', copies: 1, notes: { a: 1, b: [2] } })
    const path = `${api.entries}/${reply.body.data.id}`
    const first = reply.headers.get('etag') as string
    const changed = await world.admin.put(path, api.entry({ notes: { a: 99 } }), { 'if-match': first })
    expect(changed.status).toBe(200)
    expect(changed.body.data).toMatchObject({
      title: 'Gull',
      copies: 1,
      notes: { a: 99 },
      meta: { resource_version: 1 },
    })
    expect(changed.body.data.notes).toEqual({ a: 99 })
    const second = changed.headers.get('etag') as string
    expect(second).not.toBe(first)
    for (const refused of [
      await world.admin.put(path, api.entry({ copies: 2 }), { 'if-match': first }),
      await world.admin.delete(path, { 'if-match': first }),
    ]) {
      expect(refused.status).toBe(412)
      expect(refused.body.errors[0]).toMatchObject({ title: 'Precondition Failed', status: '412' })
      expect(refused.body.errors[0].detail).toContain(first)
      expect(refused.body.errors[0].detail).toContain(second)
    }
    expect((await world.admin.delete(path, { 'if-match': second })).status).toBe(204)
    expect((await world.admin.get(path)).status).toBe(404)
  })

  test('is at most 64 KiB', async () => {
    const api = await makeApi(world.admin, { a: ['string'], b: ['string'] })
    const most = 'x'.repeat(65_535)
    expect((await api.create({ a: most })).body.data.meta.data_size).toBe(65_535)
    for (const values of [{ a: most, b: 'xx' }, { a: `${most}xx` }]) {
      const refused = await api.create(values)
      expect(refused.status).toBe(413)
      expect(refused.body.errors).toEqual([
        expect.objectContaining({
          title: 'Request Entity Too Large',
          status: '413',
          detail: 'Maximum entry size reached.',
        }),
      ])
    }
    const reply = await api.create({ a: most })
    const path = `${api.entries}/${reply.body.data.id}`
    expect((await world.admin.put(path, api.entry({ b: 'xx' }))).status).toBe(413)
    expect((await world.admin.put(path, api.entry({ b: 'x' }))).status).toBe(200)
  })

  test('is refused to shoppers, strangers and other stores', async () => {
    const api = await makeApi(world.admin, { a: ['string'] })
    const { id } = (await api.create({ a: 'x' })).body.data
    expect((await world.shopper.get(api.entries)).status).toBe(403)
    expect((await world.nobody.get(api.entries)).status).toBe(401)
    for (const path of [api.entries, `${api.entries}/${id}`, `${api.settings}/entries`, api.settings]) {
      expect((await world.other.get(path)).status).toBe(404)
    }
    expect((await world.admin.get('/v2/extensions/nothing-here')).status).toBe(404)
  })

  test('can have fields with odd names', async () => {
    const api = await makeApi(world.admin, {
      constructor: ['string'] as const,
      'with space': ['integer'],
      'a"b': ['any'],
    })
    const reply = await api.create({ 'a"b': 1, 'with space': 2 })
    expect(reply.body.data).toMatchObject({ constructor: null, 'a"b': 1, 'with space': 2 })
    const again = await world.admin.put(
      `${api.entries}/${reply.body.data.id}`,
      api.entry({ constructor: 'c' }),
    )
    expect(again.body.data.constructor).toBe('c')
    expect((await world.admin.get(`${api.entries}?filter=eq(constructor,c)`)).body.data).toHaveLength(1)
  })
})

test('a refusal names every fault of an entry', async () => {
  const api = await makeApi(world.admin, { a: ['string'], b: ['integer'], c: ['boolean'] })
  const { status, body } = await api.create({ a: 1, b: 'x', c: 'yes' })
  const sources = body.errors.map(({ source }: { source: string }) => source)
  expect([status, ...sources]).toEqual([400, 'data.a', 'data.b', 'data.c'])
})

describe('an upsert', () => {
  test('creates entries only where the API allows it', async () => {
    const strict = await makeApi(world.admin, { a: ['string'] })
    expect(
      (await world.admin.put(`${strict.entries}/${randomUUID()}`, strict.entry({ a: 'x' }))).status,
    ).toBe(404)
    const api = await makeApi(
      world.admin,
      { a: ['string', { immutable: true }], b: ['string'] },
      { allow_upserts: true },
    )
    const id = randomUUID()
    const reply = await world.admin.put(`${api.entries}/${id}`, api.entry({ a: 'x' }))
    expect(reply.status).toBe(201)
    expect(reply.headers.get('etag')).toBe(`W/"${reply.body.data.meta.etag_id}"`)
    expect(reply.body.data).toMatchObject({ id, a: 'x' })
    const again = await world.admin.put(`${api.settings}/entries/${id}`, api.entry({ b: 'y' }))
    expect(again.status).toBe(200)
    expect(again.body.data).toMatchObject({ id, a: 'x', b: 'y' })
    expect((await world.admin.put(`${api.entries}/not-a-uuid`, api.entry({}))).status).toBe(400)
    const absent = await world.admin.put(`${api.entries}/${randomUUID()}`, api.entry({}), { 'if-match': '*' })
    expect(absent.status).toBe(412)
  })

  test('creates one entry when many have the same id', async () => {
    const api = await makeApi(world.admin, { n: ['integer'] }, { allow_upserts: true })
    const path = `${api.entries}/${randomUUID()}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => world.admin.put(path, api.entry({ n }))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
    expect((await world.admin.get(path)).body.data.meta.resource_version).toBe(19)
  })
})

describe('a unique field', () => {
  test('accepts one of many concurrent creates, and the refusals name the field', async () => {
    const api = await makeApi(world.admin, {
      code: ['string', { unique: 'yes' }],
      other: ['string', { unique: 'yes' }],
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => api.create({ code: 'same', other: `o${n}` })),
    )
    const refused = answers.filter(({ status }) => status === 409)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(refused).toHaveLength(49)
    for (const { body } of refused) {
      expect(body.errors[0]).toMatchObject({
        source: 'data.code',
        detail: `${api.type} with the given code already exists`,
      })
    }
    expect((await api.create({ code: 'Same' })).status).toBe(201)
    expect((await api.create({ code: null })).status).toBe(201)
    expect((await api.create({ code: null })).status).toBe(201)
  })

  test('can ignore case, also beyond ASCII', async () => {
    const api = await makeApi(world.admin, {
      code: ['string', { unique: 'yes', unique_case_insensitivity: true }],
    })
    expect((await api.create({ code: 'ÄB' })).status).toBe(201)
    expect((await api.create({ code: 'äb' })).status).toBe(409)
    const other = await api.create({ code: 'c' })
    const path = `${api.entries}/${other.body.data.id}`
    expect((await world.admin.put(path, api.entry({ code: 'Äb' }))).status).toBe(409)
    expect((await world.admin.put(path, api.entry({ code: 'C' }))).status).toBe(200)
    expect((await api.create({ code: 'c' })).status).toBe(409)
  })

  test('that was not unique before leaves existing duplicates', async () => {
    const api = await makeApi(world.admin, { code: ['string'] })
    const twins = [await api.create({ code: 'x' }), await api.create({ code: 'x' })]
    const field = await api.putField('code', { validation: { string: { unique: 'yes' } } })
    expect(field.body.data.validation.string).toMatchObject({ unique: 'yes', allow_null_values: true })
    expect((await api.create({ code: 'x' })).status).toBe(409)
    for (const { body } of twins) {
      const same = await world.admin.put(`${api.entries}/${body.data.id}`, api.entry({ code: 'x' }))
      expect(same.status).toBe(200)
    }
    await api.putField('code', { validation: { string: { unique: 'no' } } })
    expect((await api.create({ code: 'x' })).status).toBe(201)
  })
})

describe('a field in place of the id', () => {
  const slugged = (more = {}) =>
    makeApi(
      world.admin,
      {
        handle: ['string', { unique: 'yes', allow_null_values: false }, { use_as_url_slug: true }],
        n: ['integer'],
      },
      more,
    )

  test('leads to the entry', async () => {
    const api = await slugged()
    const reply = await api.create({ handle: 'a~b.c', n: 1 })
    expect(reply.body.data.links.self).toBe(`/extensions/${api.slug}/a~b.c`)
    const { id } = reply.body.data
    expect((await world.admin.get(`${api.entries}/a~b.c`)).body).toEqual(reply.body)
    expect((await world.admin.get(`${api.entries}/${id}`)).body).toEqual(reply.body)
    expect((await world.admin.get(`${api.settings}/entries/${id}`)).body).toEqual(reply.body)
    expect((await world.admin.get(`${api.settings}/entries/a~b.c`)).status).toBe(404)
    const moved = await world.admin.put(`${api.entries}/a~b.c`, api.entry({ handle: 'd' }))
    expect(moved.body.data.links.self).toBe(`/extensions/${api.slug}/d`)
    expect((await world.admin.delete(`${api.entries}/a~b.c`)).status).toBe(404)
    expect((await world.admin.delete(`${api.entries}/d`)).status).toBe(204)
    for (const handle of ['a b', 'a/b', 'é', '.', '..', '', null]) {
      expect((await api.create({ handle })).status, String(handle)).toBe(400)
    }
    expect((await api.create({})).body.errors[0].detail).toBe("The field 'handle' is required (data.handle).")
  })

  test('names the entry that an upsert creates', async () => {
    const api = await slugged({ allow_upserts: true })
    const reply = await world.admin.put(`${api.entries}/new-one`, api.entry({ n: 1 }))
    expect(reply.status).toBe(201)
    expect(reply.body.data).toMatchObject({ handle: 'new-one', n: 1 })
    expect((await world.admin.put(`${api.entries}/new-one`, api.entry({ n: 2 }))).status).toBe(200)
    expect((await world.admin.put(`${api.entries}/third`, api.entry({ handle: 'fourth' }))).status).toBe(400)
    expect((await world.admin.put(`${api.entries}/bad%20one`, api.entry({}))).status).toBe(400)
  })
})

describe('a list', () => {
  test('ends in a 422 when it takes too long', async () => {
    const api = await makeApi(world.admin, { a: ['string'] })
    await api.create({ a: 'x' })
    expect((await world.admin.get(`${api.entries}?timeout=20000`)).body.data).toHaveLength(1)
    for (const timeout of ['0', '20001', 'abc', '-1', '1.5', '']) {
      const refused = await world.admin.get(`${api.entries}?timeout=${timeout}`)
      expect(refused.status).toBe(400)
      expect(refused.body.errors[0].source).toBe('timeout')
    }
    const blocker = world.sql('BEGIN; LOCK TABLE entries; SELECT pg_sleep(1.5); COMMIT')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const late = await world.admin.get(`${api.entries}?timeout=100`)
    expect(late.status).toBe(422)
    expect(late.body.errors[0]).toMatchObject({ status: '422', detail: 'request timed out after 100 ms.' })
    await blocker
  })

  test('accepts the forms of counting and sorting that clients send', async () => {
    const api = await makeApi(world.admin, { a: ['string'] })
    await api.create({ a: 'x' })
    for (const query of [
      'page[total_method]=observed',
      'page[total_method]=lower_bound',
      'sort=null',
      'sort=-id',
    ]) {
      const list = await world.admin.get(`${api.entries}?${query}`)
      expect(list.status, query).toBe(200)
      expect(list.body.meta.results).toEqual({ total: 1, total_method: 'exact' })
    }
    expect((await world.admin.get(`${api.entries}?sort=a`)).status).toBe(400)
  })
})
