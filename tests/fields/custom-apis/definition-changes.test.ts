import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { customApis } from '../../../server/fields/custom-apis/custom-apis.ts'
import { customFields } from '../../../server/fields/custom-apis/custom-fields.ts'
import { findDefinition } from '../../../server/fields/custom-apis/definition.ts'
import { createEntry } from '../../../server/fields/custom-apis/write-entry.ts'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { add, change, remove } from '../../../server/kernel/write/by-rules.ts'
import { type RunningServer, start } from '../../../server/main.ts'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { clientOf } from '../../support/client.ts'
import { type Client, openWorld, type Reply, testConfig, type World } from '../../support/world.ts'

/** Two servers on one database: each learns of what the other has changed from the database alone. */
let world: World
let second: RunningServer
let elsewhere: Client
beforeAll(async () => {
  world = await openWorld({ alone: true })
  second = await start(testConfig(inject('postgres'), world.database))
  elsewhere = clientOf(second.url, world.admin.token)
})
afterAll(async () => {
  await second.stop()
  await world.close()
})

type Api = Awaited<ReturnType<typeof makeApi>>
const putApi = (api: Api, facts: object) =>
  world.admin.put(api.settings, { data: { type: 'custom_api', ...facts } })

/** A definition that both servers remember from both addresses, and an entry `old` of it. */
async function rememberedApi() {
  const api = await makeApi(world.admin, { a: ['string'] })
  const { id } = (await api.create({ a: 'old' })).body.data
  for (const client of [world.admin, elsewhere]) {
    for (const path of [api.entries, `${api.settings}/entries`]) {
      expect((await client.post(path, api.entry({ a: 'x' }))).status).toBe(201)
      expect((await client.get(`${path}/${id}`)).body.data.a).toBe('old')
    }
  }
  return { ...api, entryId: id as string }
}

const ok = (data: object) => ({ status: 200, data })
const create = (data: object) => ({ status: 201, data })
const refused = (status: number, detail: string) => ({ status, detail })

const noApi = refused(404, 'custom api not found')
const outcomeOf = ({ status, body }: Reply) =>
  status < 400
    ? { status, data: body.data }
    : { status, detail: body.errors[0].detail.replace(/ not found: .*/, ' not found') }

type Outcome = ReturnType<typeof ok> | ReturnType<typeof refused>

interface Change {
  readonly apply: (api: Api) => Promise<unknown>
  /** What the entry is then, and what becomes of a new one with `a` and `b`. */
  readonly read: Outcome
  readonly created: Outcome
  /** Under the id of the custom API, where that is another. */
  readonly byId?: { readonly read: Outcome; readonly created: Outcome }
}

const changes: Record<string, Change> = {
  'a field is renamed': {
    apply: (api) => api.putField('a', { slug: 'b' }),
    read: ok({ b: 'old' }),
    created: create({ b: 'new b' }),
  },
  'a field is added': {
    apply: (api) => api.addField('b', 'string'),
    read: ok({ a: 'old' }),
    created: create({ a: 'new a', b: 'new b' }),
  },
  'a field is deleted': {
    apply: (api) => world.admin.delete(`${api.settings}/fields/${api.ids.a}`),
    read: ok({ meta: expect.objectContaining({ data_size: 0 }) }),
    created: create({ meta: expect.objectContaining({ data_size: 0 }) }),
  },
  'a rule refuses what it accepted': {
    apply: (api) => api.putField('a', { validation: { string: { max_length: 3 } } }),
    read: ok({ a: 'old' }),
    created: refused(400, 'Validation failed: data.a must be a string of 0 to 3 characters, not "new a".'),
  },
  'the type is another': {
    apply: (api) => putApi(api, { api_type: `new_${api.type}` }),
    read: ok({ type: expect.stringMatching(/^new_/) }),
    created: refused(400, expect.stringMatching(/^Validation failed: data.type must be "new_/) as string),
  },
  'the slug is another': {
    apply: (api) => putApi(api, { slug: `new-${api.slug}` }),
    read: noApi,
    created: noApi,
    byId: {
      read: ok({ links: { self: expect.stringMatching(/^\/extensions\/new-/) } }),
      created: create({ links: { self: expect.stringMatching(/^\/extensions\/new-/) } }),
    },
  },
  'another custom API has the slug': {
    apply: async (api) => {
      await putApi(api, { slug: `new-${api.slug}` })
      await makeApi(world.admin, { b: ['string'] }, { slug: api.slug })
    },
    read: refused(404, 'custom entry not found'),
    created: refused(400, expect.stringMatching(/^Validation failed: data.type must be/) as string),
    byId: { read: ok({ a: 'old' }), created: create({ a: 'new a' }) },
  },
  'the custom API is deleted': {
    apply: (api) => world.admin.delete(api.settings),
    read: noApi,
    created: noApi,
  },
}

describe.for(Object.entries(changes))('when %s', ([, { apply, byId, ...bySlug }]) => {
  test('every server uses the current definition', async () => {
    const api = await rememberedApi()
    await apply(api)
    const addresses = [
      [api.entries, bySlug],
      [`${api.settings}/entries`, byId ?? bySlug],
    ] as const
    for (const client of [elsewhere, world.admin]) {
      for (const [path, expected] of addresses) {
        expect(outcomeOf(await client.get(`${path}/${api.entryId}`))).toMatchObject(expected.read)
        const entry = api.entry({ a: 'new a', b: 'new b' })
        expect(outcomeOf(await client.post(path, entry))).toMatchObject(expected.created)
        const key = { 'idempotency-key': crypto.randomUUID() }
        expect(outcomeOf(await client.post(path, entry, key))).toMatchObject(expected.created)
      }
    }
  })
})

test('every server accepts what only a deleted rule refused', async () => {
  const api = await makeApi(world.admin, { a: ['string', { max_length: 3 }] })
  expect((await elsewhere.post(api.entries, api.entry({ a: 'long' }))).status).toBe(400)
  await api.putField('a', { validation: { string: { max_length: 4 } } })
  expect((await elsewhere.post(api.entries, api.entry({ a: 'long' }))).status).toBe(201)
})

test('an entry has its URL as soon as the field that names it exists', async () => {
  const api = await makeApi(world.admin, { a: ['string'] })
  expect((await elsewhere.get(`${api.entries}/ash`)).status).toBe(404)
  const named = { unique: 'yes', allow_null_values: false }
  await api.addField('path', 'string', named, { use_as_url_slug: true })
  const { id } = (await api.create({ path: 'ash' })).body.data
  for (const client of [elsewhere, world.admin]) {
    for (const name of ['ash', id]) expect((await client.get(`${api.entries}/${name}`)).body.data.id).toBe(id)
    expect((await client.get(`${api.entries}/birch`)).status).toBe(404)
    expect((await client.get(`${api.settings}/entries/ash`)).status).toBe(404)
  }
})

/** How many wait for a lock that somebody else has. */
async function waiting(): Promise<number> {
  const { rows } = await world.sql(
    `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0].n
}

const fields = customFields as Resource
const renamed = { name: 'b', slug: 'b' }

/** Changes that are under way when an entry comes that was fine before. */
const underWay: Record<
  string,
  readonly [make: (work: Work, api: Api) => Promise<unknown>, created: Outcome]
> = {
  'a field is renamed': [
    (work, api) => change(work, fields, [api.id], api.ids.a as string, renamed),
    create({ b: 'new b' }),
  ],
  'a field is deleted': [
    (work, api) => remove(work, fields, [api.id], api.ids.a as string, { ifMatch: undefined }),
    create({ meta: expect.objectContaining({ data_size: 0 }) }),
  ],
  'a field is added that must be there': [
    (work, api) =>
      add(work, fields, [api.id], {
        name: 'c',
        slug: 'c',
        field_type: 'string',
        validation: { string: { allow_null_values: false } },
      }),
    refused(400, "The field 'c' is required (data.c)."),
  ],
  'the type becomes another': [
    (work, api) => change(work, customApis as Resource, [], api.id, { api_type: `new_${api.type}` }),
    refused(400, expect.stringMatching(/^Validation failed: data.type must be "new_/) as string),
  ],
  'the slug becomes another': [
    (work, api) => change(work, customApis as Resource, [], api.id, { slug: `new-${api.slug}` }),
    noApi,
  ],
  'the custom API is deleted': [
    (work, api) => remove(work, customApis as Resource, [], api.id, { ifMatch: undefined }),
    noApi,
  ],
}

describe('an entry is checked against the definition that it is stored with', () => {
  test.for(Object.entries(underWay))('while a change is made: %s', async ([, [make, created]]) => {
    const api = await rememberedApi()
    let creating: Promise<Reply[]> | undefined
    await world.work.transaction(async (work) => {
      await make(work, api)
      const entry = api.entry({ a: 'new a', b: 'new b' })
      creating = Promise.all([
        world.admin.post(api.entries, entry),
        elsewhere.post(api.entries, entry),
        elsewhere.post(api.entries, entry, { 'idempotency-key': crypto.randomUUID() }),
      ])
      await expect.poll(waiting, { timeout: 20_000 }).toBe(3)
    })
    for (const answer of (await creating) ?? []) expect(outcomeOf(answer)).toMatchObject(created)
  })

  test('also when a change is rolled back', async () => {
    const api = await rememberedApi()
    let creating: Promise<Reply> | undefined
    const changing = world.work.transaction(async (work) => {
      await change(work, fields, [api.id], api.ids.a as string, renamed)
      creating = elsewhere.post(api.entries, api.entry({ a: 'new a', b: 'new b' }))
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
      throw new Error('not after all')
    })
    await expect(changing).rejects.toThrow('not after all')
    expect(outcomeOf((await creating) as Reply)).toMatchObject(create({ a: 'new a' }))
  })

  test.for([
    ['a field', (api: Api) => api.putField('a', { slug: 'b' }), ok({ b: 'new a' })],
    ['the type', (api: Api) => putApi(api, { api_type: `new_${api.type}` }), ok({ a: 'new a' })],
  ] as const)('and %s follows a change after it', async ([, changeIt, read]) => {
    const api = await rememberedApi()
    let changing: Promise<Reply> | undefined
    const entry = await world.work.transaction(async (work) => {
      // Without a transaction that has begun it would be stored at once.
      await work.store.advisoryLock('a test')
      const definition = await findDefinition(work, { column: 'id', value: api.id })
      const created = await createEntry(work, definition, { a: 'new a' })
      changing = changeIt(api)
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
      return created
    })
    expect((await changing)?.status).toBe(200)
    const answer = await elsewhere.get(`${api.settings}/entries/${entry?.id}`)
    expect(outcomeOf(answer)).toMatchObject(read)
    expect(answer.body.data.meta.resource_version).toBe(1)
  })
})

test('concurrent writes and changes leave every entry as its definition says', async () => {
  const api = await rememberedApi()
  let busy = true
  const creating = [world.admin, elsewhere].flatMap((client) =>
    Array.from({ length: 4 }, async () => {
      const statuses = new Set<number>()
      for (let n = 0; busy || n < 5; n++)
        statuses.add((await client.post(api.entries, api.entry({ a: 'x', b: 'x' }))).status)
      return [...statuses]
    }),
  )
  for (let n = 0; n < 10; n++) {
    expect((await api.putField('a', { slug: n % 2 ? 'a' : 'b' })).status).toBe(200)
    expect((await putApi(api, { name: `Renamed ${n}` })).status).toBe(200)
  }
  await api.putField('a', { slug: 'b' })
  busy = false
  expect(new Set((await Promise.all(creating)).flat())).toEqual(new Set([201]))
  const { rows } = await world.sql(
    `SELECT DISTINCT array(SELECT json_object_keys(doc)) AS names FROM entries WHERE custom_api_id = $1`,
    [api.id],
  )
  expect(rows).toEqual([{ names: ['b'] }])
})
