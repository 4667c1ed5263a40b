import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a field is created with all its rules', async () => {
  const api = await makeApi(world.admin)
  const reply = await api.addField('title', 'string', { max_length: 5 })
  const { id, meta } = reply.body.data
  expect(reply.body.data).toEqual({
    id,
    type: 'custom_field',
    name: 'title',
    description: '',
    slug: 'title',
    field_type: 'string',
    use_as_url_slug: false,
    presentation: { sort_order: 0 },
    validation: {
      string: {
        min_length: null,
        max_length: 5,
        regex: null,
        allow_null_values: true,
        immutable: false,
        unique: 'no',
        unique_case_insensitivity: false,
      },
    },
    links: { self: `/settings/extensions/custom-apis/${api.id}/fields/${id}` },
    meta,
  })
  const twin = await api.addField('title', 'integer')
  expect(twin.status).toBe(409)
  expect(twin.body.errors[0].detail).toBe('custom_field with the given slug already exists')
  const changed = await world.admin.put(`${api.settings}/fields/${id}`, {
    data: { name: 'Title', slug: 'title', validation: { string: { min_length: 2, max_length: null } } },
  })
  expect(changed.body.data.validation.string).toMatchObject({ min_length: 2, max_length: null, unique: 'no' })
  const list = await world.admin.get(
    `${api.settings}/fields?filter=in(field_type,string,list)&sort=field_type`,
  )
  expect(list.body.data).toEqual([changed.body.data])
  expect((await world.admin.get(`${path404}/fields`)).status).toBe(404)
})
const path404 = '/v2/settings/extensions/custom-apis/00000000-0000-4000-8000-000000000000'

describe('a definition is refused', () => {
  test.each<[string, string, string, object, object?]>([
    ['a reserved slug', 'weights', 'string', {}],
    ['a slug no object can have', '__proto__', 'string', {}],
    ['no slug', '', 'string', {}],
    ['a long slug', 'x'.repeat(64), 'string', {}],
    ['an unknown type', 'a', 'date', {}],
    ['an unknown rule', 'a', 'string', { minimum: 1 }],
    ['a rule of another type', 'a', 'integer', { regex: 'x' }],
    ['rules of another type', 'a', 'integer', {}, { validation: { string: {} } }],
    ['a regex that is none', 'a', 'string', { regex: '(' }],
    ['a regex with a look-ahead', 'a', 'string', { regex: 'a(?=b)' }],
    ['a regex that is too long', 'a', 'string', { regex: 'x'.repeat(1025) }],
    ['a regex that is too costly', 'a', 'string', { regex: '.{999}'.repeat(9) }],
    ['a length that is none', 'a', 'string', { max_length: 65_536 }],
    ['min_length not below max_length', 'a', 'string', { min_length: 5, max_length: 5 }],
    ['min_value not below max_value', 'a', 'integer', { min_value: 5, max_value: 4 }],
    ['a fraction as bound of whole numbers', 'a', 'integer', { min_value: 0.5 }],
    ['a list that is too long', 'a', 'list', { max_length: 1001 }],
    ['min_length above max_length of a list', 'a', 'list', { min_length: 3, max_length: 2 }],
    ['an unknown element type', 'a', 'list', { allowed_type: 'object' }],
    ['unique that is no word', 'a', 'string', { unique: true }],
    ['case insensitivity without unique', 'a', 'string', { unique_case_insensitivity: true }],
    ['a sort order out of bounds', 'a', 'string', {}, { presentation: { sort_order: 1001 } }],
    ['a URL field that is no string', 'a', 'integer', {}, { use_as_url_slug: true }],
    [
      'a URL field that is not unique',
      'a',
      'string',
      { allow_null_values: false },
      { use_as_url_slug: true },
    ],
    ['a URL field that may be null', 'a', 'string', { unique: 'yes' }, { use_as_url_slug: true }],
  ])('with %s', async (_, slug, type, rules, more) => {
    const api = await makeApi(world.admin)
    const refused = await api.addField(slug, type, rules, more)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].source).toMatch(/^data\./)
    expect(refused.body.errors[0].detail).toMatch(/must|accepts|cannot be|required/)
  })

  test('when it changes an immutable member', async () => {
    const api = await makeApi(world.admin, {
      s: [
        'string',
        { unique: 'yes', unique_case_insensitivity: true, allow_null_values: false },
        { use_as_url_slug: true },
      ],
      l: ['list', { allowed_type: 'integer' }],
    })
    for (const [slug, facts] of [
      ['s', { field_type: 'integer' }],
      ['s', { use_as_url_slug: false }],
      ['s', { validation: { string: { unique_case_insensitivity: false } } }],
      ['s', { validation: { string: { unique: 'no' } } }],
      ['s', { validation: { string: { allow_null_values: true } } }],
      ['l', { validation: { list: { allowed_type: 'any' } } }],
    ] as const) {
      expect((await api.putField(slug, facts)).status, JSON.stringify(facts)).toBe(400)
    }
    expect(
      (await api.putField('l', { validation: { list: { allowed_type: 'integer', max_length: 3 } } })).status,
    ).toBe(200)
    const withoutName = await world.admin.put(`${api.settings}/fields/${api.ids.l}`, { data: { slug: 'l' } })
    expect(withoutName.body.errors[0].detail).toContain("The field 'name' is required")
  })

  test('when there is a URL field or an entry already, and beyond 100 fields', async () => {
    const url = ['string', { unique: 'yes', allow_null_values: false }, { use_as_url_slug: true }] as const
    const api = await makeApi(world.admin, { first: url })
    expect((await api.addField('second', ...url)).status).toBe(400)
    const used = await makeApi(world.admin, { a: ['string'] })
    await used.create({ a: 'x' })
    expect((await used.addField('url', ...url)).body.errors[0].detail).toContain('already has entries')
    const full = await makeApi(world.admin)
    for (let n = 0; n < 100; n++) expect((await full.addField(`f${n}`, 'any')).status).toBe(201)
    expect((await full.addField('f100', 'any')).status).toBe(422)
  })
})

describe('a value', () => {
  const big = Number.MAX_SAFE_INTEGER
  test.each<[type: string, rules: object, accepted: unknown[], refused: unknown[]]>([
    ['string', {}, ['', 'x', 'é😀', null, 'x'.repeat(65_535)], [1, true, [], {}]],
    ['string', { min_length: 2, max_length: 3 }, ['ab', '😀😀😀', null], ['a', 'abcd', '😀']],
    [
      'string',
      { regex: '^(red|blue)$', allow_null_values: false },
      ['red'],
      ['reddish', '', null, undefined],
    ],
    ['string', { regex: '(a+)+$', max_length: 60_000 }, ['a'], [`${'b'.repeat(50_000)}`]],
    ['integer', {}, [0, -big, big, 1.0, null], [1.5, big + 1, '1', true, [1]]],
    ['integer', { min_value: -2, max_value: 2, allow_null_values: false }, [-2, 2], [-3, 3, null, undefined]],
    ['float', {}, [0, 1.5, 1e308, 5e-324, null], ['1', false]],
    ['float', { min_value: 0.01, max_value: 32.01 }, [0.01, 32.01], [0, 32.02]],
    ['boolean', { allow_null_values: false }, [true, false], ['true', 0, null, undefined]],
    ['any', {}, [1, 'x', [1, { a: null }], { b: [] }, null], []],
    ['any', { allow_null_values: false }, [false], [null, undefined]],
    [
      'list',
      {},
      [[], [1, 'a', true, null, 1.5], null, Array(1000).fill(0)],
      [1, 'x', {}, [[1]], [{}], Array(1001).fill(0)],
    ],
    ['list', { allow_null_values: false }, [null, [1]], [[null]]],
    ['list', { min_length: 1, max_length: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    ['list', { allowed_type: 'string' }, [['a', null]], [[1]]],
    ['list', { allowed_type: 'integer' }, [[1, -1]], [[1.5], ['1'], [big + 1]]],
    ['list', { allowed_type: 'float' }, [[1, 1.5]], [['1']]],
    ['list', { allowed_type: 'boolean' }, [[true]], [[0]]],
  ])('of type %s with %j', async (type, rules, accepted, refused) => {
    const api = await makeApi(world.admin, { v: [type, rules] })
    for (const v of accepted) {
      const reply = await api.create({ v })
      expect(reply.status, JSON.stringify(v)?.slice(0, 50)).toBe(201)
      expect(reply.body.data.v).toEqual(v)
    }
    for (const v of refused) {
      const answer = await api.create({ v })
      expect(answer.status, JSON.stringify(v)?.slice(0, 50)).toBe(400)
      expect(answer.body.errors[0].source).toMatch(/^data\.v/)
    }
  })

  test('is at most so long that its regex can be matched at an acceptable cost', async () => {
    // Some thousand steps, so some thousand characters: a million in all.
    const api = await makeApi(world.admin, { v: ['string', { regex: '^(?:[a-c]{499}[a-c]{499})*[a-c]+$' }] })
    const sent = (length: number) => api.create({ v: 'abc'.repeat(length).slice(0, length) })
    const { status, body } = await sent(2000)
    expect(status).toBe(400)
    const [, most] =
      /a string of at most (\d+) characters, because its regex takes/.exec(body.errors[0].detail) ?? []
    expect(Number(most)).toBeGreaterThan(900)
    expect(Number(most)).toBeLessThan(1000)
    expect((await sent(Number(most))).status).toBe(201)
    expect((await sent(Number(most) + 1)).body.errors[0].source).toBe('data.v')
  })

  test('that JSON cannot express is refused', async () => {
    const api = await makeApi(world.admin, { v: ['any'], f: ['float'] })
    for (const field of ['"v":{"a":[1e999]}', '"f":1e999', '"v":"\\u0000"']) {
      const refused = await world.admin.send('POST', api.entries, {
        body: `{"data":{"type":"${api.type}",${field}}}`,
      })
      expect(refused.status, field).toBe(400)
    }
  })

  test('that is immutable cannot change', async () => {
    const api = await makeApi(world.admin, { v: ['list', { immutable: true }], w: ['string'] })
    const path = `${api.entries}/${(await api.create({ v: [1] })).body.data.id}`
    expect((await world.admin.put(path, api.entry({ v: [1], w: 'x' }))).status).toBe(200)
    const refused = await world.admin.put(path, api.entry({ v: [2] }))
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0]).toMatchObject({ source: 'data.v' })
  })
})

describe('entries follow their fields', () => {
  test('when one is renamed', async () => {
    const api = await makeApi(world.admin, { old: ['string'], n: ['integer'] })
    const entry = (await api.create({ old: 'x "y" é', n: 1 })).body.data
    expect((await api.putField('old', { slug: 'new' })).status).toBe(200)
    const read = (await world.admin.get(`${api.entries}/${entry.id}`)).body.data
    expect(read).toMatchObject({ new: 'x "y" é', n: 1 })
    expect(read).not.toHaveProperty('old')
    expect(read.meta).toMatchObject({ resource_version: 1, data_size: entry.meta.data_size })
    expect(read.meta.etag_id).not.toBe(entry.meta.etag_id)
    const list = await world.admin.get(`${api.entries}?filter=like(new,x*)`)
    expect(list.body.data).toEqual([read])
    expect((await world.admin.get(`${api.entries}?filter=like(old,x*)`)).status).toBe(400)
    const feed = await world.feed(`SELECT doc FROM changes WHERE id = $1 AND event = 'updated'`, [entry.id])
    expect(feed.rows).toEqual([{ doc: { new: 'x "y" é', n: 1 } }])
  })

  test('when one is deleted and created again with another type', async () => {
    const api = await makeApi(world.admin, {
      gone: ['string', { unique: 'yes', unique_case_insensitivity: true }],
      n: ['integer'],
    })
    const entry = (await api.create({ gone: 'é', n: 12 })).body.data
    expect(entry.meta.data_size).toBe(4)
    expect((await world.admin.delete(`${api.settings}/fields/${api.ids.gone}`)).status).toBe(204)
    const read = (await world.admin.get(`${api.entries}/${entry.id}`)).body.data
    expect(read).not.toHaveProperty('gone')
    expect(read.meta).toMatchObject({ resource_version: 1, data_size: 2 })
    await api.addField('gone', 'integer')
    // Written before the field was there: null neither is nor is not.
    expect((await world.admin.get(`${api.entries}?filter=is_null(gone)`)).body.data).toEqual([])
    await world.admin.put(`${api.entries}/${entry.id}`, api.entry({}))
    expect((await world.admin.get(`${api.entries}?filter=is_null(gone)`)).body.data).toHaveLength(1)
    const orphans = await world.sql('SELECT count(*) AS n FROM entry_values WHERE field_id = $1', [
      api.ids.gone,
    ])
    expect(orphans.rows[0].n).toBe('0')
  })

  test('when the only one is deleted', async () => {
    const api = await makeApi(world.admin, { only: ['string'] })
    const { id } = (await api.create({ only: 'x' })).body.data
    await world.admin.delete(`${api.settings}/fields/${api.ids.only}`)
    expect((await world.admin.get(`${api.entries}/${id}`)).body.data).toMatchObject({
      id,
      meta: { data_size: 0 },
    })
  })

  test('while both are written', async () => {
    const api = await makeApi(world.admin, { a: ['integer'] })
    const writing = Array.from({ length: 30 }, (_, a) => api.create({ a, b: a }))
    const renamed = api.putField('a', { slug: 'b' })
    const more = Array.from({ length: 30 }, (_, a) => api.create({ a, b: a }))
    expect((await renamed).status).toBe(200)
    for (const answer of await Promise.all([...writing, ...more])) expect(answer.status).toBe(201)
    const { data } = (await world.admin.get(`${api.entries}?page[limit]=100`)).body
    expect(data).toHaveLength(60)
    for (const entry of data) {
      expect(entry.b).toBeTypeOf('number')
      expect(entry).not.toHaveProperty('a')
    }
    expect((await world.admin.get(`${api.entries}?filter=ge(b,0)`)).body.meta.results.total).toBe(60)
  })

  test('when rules change: the new ones apply to later writes only', async () => {
    const api = await makeApi(world.admin, { a: ['string'] })
    const { id } = (await api.create({ a: 'long enough' })).body.data
    await api.putField('a', { validation: { string: { max_length: 3 } } })
    await api.addField('b', 'string', { allow_null_values: false })
    expect((await world.admin.get(`${api.entries}/${id}`)).body.data.a).toBe('long enough')
    const refused = await world.admin.put(`${api.entries}/${id}`, api.entry({ a: 'abc' }))
    expect(refused.body.errors[0].detail).toBe("The field 'b' is required (data.b).")
    expect((await world.admin.put(`${api.entries}/${id}`, api.entry({ a: 'abcd', b: 'x' }))).status).toBe(400)
    expect((await world.admin.put(`${api.entries}/${id}`, api.entry({ b: 'x' }))).status).toBe(200)
  })
})
