import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fields, JsonSchema } from '../../server/kernel/fields.ts'
import { writable } from '../../server/kernel/input.ts'
import type { Reply } from '../support/client.ts'
import { createFields, type Kind, kindsWith, Samples } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld()
  samples = new Samples(world.admin)
})
afterAll(() => world.close())

const problem = ({ status, body }: Reply) => [status, body?.errors?.[0]?.code, body?.errors?.[0]?.source]
const declared = (kind: Kind) => writable(createFields(kind) as Fields).filter(([name]) => name !== 'meta')
const collectionOf = (kind: Kind) => samples.path(kind.resource.path)

/** A JSON value of a type that the schema does not take. */
function wrong(schema: JsonSchema): unknown {
  const types = [schema.type].flat()
  if (schema.type === undefined) return undefined
  return [17, 'text', true, [], {}].find((value) => {
    const type = Array.isArray(value) ? 'array' : typeof value
    return !types.includes(type) && !(type === 'number' && types.includes('integer'))
  })
}

describe.each(kindsWith('create').map((kind) => ({ ...kind, kind })))(
  'create $name',
  ({ kind, resource }) => {
    test('ignores what it does not know, and what is not the client’s to set', async () => {
      const collection = await collectionOf(kind)
      const { data } = await samples.body(kind, collection, true)
      const readOnly = Object.entries(resource.fields as Fields).filter(([, { options }]) => options.readOnly)
      const extra = Object.fromEntries(readOnly.map(([name]) => [name, 'set by me']))
      const sent = {
        ...extra,
        ...data,
        no_such_field: 1,
        id: randomUUID(),
        links: {},
        meta: { etag_id: 'mine' },
      }
      const { status, body } = await world.admin.post(collection, { data: sent, more: 1 })
      expect([status, body.errors]).toEqual([201, undefined])
      expect(body.data.id).not.toBe(sent.id)
      expect(JSON.stringify(body)).not.toContain('no_such_field')
      for (const [name] of readOnly) expect(body.data[name]).not.toBe('set by me')
    })

    test('refuses a body without data or type, or with another type', async () => {
      const collection = await collectionOf(kind)
      const { data } = await samples.body(kind, collection)
      for (const body of [{}, { data: null }, { data: [] }, { data: 'x' }, [], 1, null, 'x']) {
        expect(problem(await world.admin.post(collection, body))).toEqual([400, 'invalid_field', 'data'])
      }
      const { type: _, ...rest } = data
      const untyped = await world.admin.post(collection, { data: rest })
      if (!resource.typeOptional) expect(problem(untyped)).toEqual([400, 'invalid_field', 'data.type'])
      for (const type of ['no_such_type', 1, null]) {
        const reply = await world.admin.post(collection, { data: { ...data, type } })
        expect(problem(reply)).toEqual([400, 'invalid_field', 'data.type'])
      }
    })

    test('names each required field that is missing', async () => {
      const collection = await collectionOf(kind)
      const { data } = await samples.body(kind, collection, true)
      for (const [name] of declared(kind).filter(([, { options }]) => options.required)) {
        const { [name]: _, ...rest } = data
        const reply = await world.admin.post(collection, { data: rest })
        expect(problem(reply)).toEqual([400, 'invalid_field', `data.${name}`])
        expect(reply.body.errors[0].detail).toContain(name)
      }
    })

    test('names each field that has a value of the wrong type', async () => {
      const collection = await collectionOf(kind)
      const { data } = await samples.body(kind, collection, true)
      for (const [name, { schema, options }] of declared(kind)) {
        const value = wrong(schema)
        const values =
          value === undefined ? [] : [value, ...(options.nullable || !options.required ? [] : [null])]
        for (const bad of values) {
          const { status, body } = await world.admin.post(collection, { data: { ...data, [name]: bad } })
          expect([name, status, body.errors?.[0].source]).toEqual([
            name,
            expect.toSatisfy((code: number) => code >= 400 && code < 500),
            expect.stringMatching(new RegExp(`^data\\.${name}`)),
          ])
        }
      }
    })

    test('refuses what a text cannot be', async () => {
      const collection = await collectionOf(kind)
      const { data } = await samples.body(kind, collection, true)
      const texts = declared(kind).filter(([, { schema }]) => [schema.type].flat().includes('string'))
      for (const [name, { schema }] of texts) {
        for (const bad of ['a\u0000b', '\ud800']) {
          const { status, body } = await world.admin.post(collection, { data: { ...data, [name]: bad } })
          expect([name, status, body.errors[0].source]).toEqual([name, 400, `data.${name}`])
        }
        if (typeof schema.maxLength !== 'number') continue
        const long = 'x'.repeat(schema.maxLength + 1)
        const { status, body } = await world.admin.post(collection, { data: { ...data, [name]: long } })
        // The whole object may have a limit of its own.
        if (status !== 413) expect([name, status, body.errors[0].source]).toEqual([name, 400, `data.${name}`])
      }
    })

    test('refuses bodies that are too large, not JSON, malformed or missing', async () => {
      const collection = await collectionOf(kind)
      const large = JSON.stringify({ data: { type: resource.type, x: 'x'.repeat(1024 * 1024) } })
      expect(problem(await world.admin.send('POST', collection, { body: large }))[0]).toBe(413)
      const cases: [body: string, contentType: string, status: number, code: string][] = [
        ['{"data":{}}', 'text/plain', 415, 'unsupported_media_type'],
        ['a=b', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
        ['{"data":', 'application/json', 400, 'malformed_json'],
        ['', 'application/json', 400, 'invalid_field'],
        [`{"data":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json', 400, 'bad_request'],
      ]
      for (const [body, type, status, code] of cases) {
        const reply = await world.admin.send('POST', collection, { body, headers: { 'content-type': type } })
        expect(problem(reply).slice(0, 2)).toEqual([status, code])
      }
      expect((await world.admin.send('POST', collection)).status).toBe(400)
    })

    test('with an Idempotency-Key, is carried out once', async () => {
      const collection = await collectionOf(kind)
      const body = await samples.body(kind, collection)
      const headers = { 'idempotency-key': randomUUID() }
      const together = await Promise.all(
        Array.from({ length: 6 }, () => world.admin.post(collection, body, headers)),
      )
      expect(together.every(({ status }) => status === 201 || status === 409)).toBe(true)
      const again = await world.admin.post(collection, body, headers)
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
      for (const one of together.filter(({ status }) => status === 201)) expect(one.body).toEqual(again.body)
      const other = await world.admin.post(collection, { ...body, more: 1 }, headers)
      expect(problem(other).slice(0, 2)).toEqual([422, 'unprocessable'])
      expect((await world.admin.post(collection, body, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(
        400,
      )
    })
  },
)

describe.each(kindsWith('get').map((kind) => ({ ...kind, kind })))(
  '$name',
  ({ kind, resource, operations }) => {
    test('has an entity tag, and 304 answers who has it', async () => {
      const { path } = await samples.make(kind)
      const first = await world.admin.get(path)
      const etag = first.headers.get('etag') as string
      expect(etag).toMatch(/^W\/"[\w-]+"$/)
      for (const tag of [etag, etag.slice(2), '*', `"x", ${etag}`]) {
        const reply = await world.admin.get(path, { 'if-none-match': tag })
        expect([reply.status, reply.body, reply.headers.get('etag')]).toEqual([304, undefined, etag])
      }
      expect((await world.admin.get(path, { 'if-none-match': '"x"' })).status).toBe(200)
    })

    test('is a 404 under ids that are unknown or no ids', async () => {
      const { collection } = await samples.make(kind)
      for (const id of [randomUUID(), 'x', '1', '%00', `${randomUUID()}0`, 'null', '%E2%82%AC']) {
        for (const [method, body] of [
          ['GET', undefined],
          ['PUT', { data: { type: resource.type } }],
          ['DELETE', undefined],
        ] as const) {
          if (method === 'PUT' ? !operations.update : method === 'DELETE' && !operations.delete) continue
          const reply = await world.admin.send(
            method,
            `${collection}/${id}`,
            body && { body: JSON.stringify(body) },
          )
          if (method === 'PUT' && reply.status === 400) continue
          expect([method, id, ...problem(reply)]).toEqual([method, id, 404, 'not_found', undefined])
        }
      }
    })

    test('is a 404 under unknown parents', async () => {
      const made = await samples.make(kind)
      for (const parent of made.collection.split('/').filter((part) => /^[0-9a-f-]{36}$/.test(part))) {
        for (const unknown of [randomUUID(), 'x']) {
          expect((await world.admin.get(made.path.replace(parent, unknown))).status).toBe(404)
          if (operations.list)
            expect((await world.admin.get(made.collection.replace(parent, unknown))).status).toBe(404)
        }
      }
    })
  },
)

describe.each(kindsWith('get', 'update').map((kind) => ({ ...kind, kind })))(
  'update $name',
  ({ kind, resource, operations }) => {
    test('takes back what it gave, and what was not sent keeps its value', async () => {
      const { path } = await samples.make(kind)
      const before = await world.admin.get(path)
      const whole = await world.admin.put(path, before.body)
      expect([whole.status, whole.body.errors]).toEqual([200, undefined])
      const { name, slug, prefix, username, type } = before.body.data
      const { status, body } = await world.admin.put(path, { data: { type, name, slug, prefix, username } })
      expect([status, body.errors]).toEqual([200, undefined])
      const apart = { meta: undefined, links: undefined }
      for (const after of [whole.body.data, body.data]) {
        expect({ ...after, ...apart }).toEqual({ ...before.body.data, ...apart })
      }
    })

    test('happens only to the version that If-Match names', async () => {
      const { path } = await samples.make(kind)
      const first = await world.admin.get(path)
      const stale = first.headers.get('etag') as string
      const second = await world.admin.put(path, first.body, { 'if-match': stale })
      expect(second.status).toBe(200)
      const current = second.headers.get('etag') as string
      if (resource.operations?.includes('update') ?? kind.operations.update?.of.kind === 'resource') {
        expect(current).not.toBe(stale)
      }
      const refused = await world.admin.put(path, first.body, { 'if-match': '"stale"' })
      expect(problem(refused).slice(0, 2)).toEqual([412, 'precondition_failed'])
      expect(refused.body.errors[0].detail).toContain('stale')
      expect(refused.body.errors[0].detail).toContain(current)
      for (const tag of ['*', current.slice(2), `"x", ${current}`]) {
        const now = (await world.admin.get(path)).headers.get('etag') as string
        const reply = await world.admin.put(path, first.body, {
          'if-match': tag.replace(current.slice(2), now.slice(2)),
        })
        expect([tag, reply.status]).toEqual([tag, 200])
      }
      if (!operations.delete) return
      expect((await world.admin.delete(path, { 'if-match': '"stale"' })).status).toBe(412)
      const last = (await world.admin.get(path)).headers.get('etag') as string
      expect((await world.admin.delete(path, { 'if-match': last })).status).toBe(204)
      expect((await world.admin.get(path)).status).toBe(404)
    })
  },
)

describe.each(kindsWith('create', 'delete').map((kind) => ({ ...kind, kind })))(
  'delete $name',
  ({ kind }) => {
    test('happens once', async () => {
      const { path } = await samples.make(kind)
      const replies = await Promise.all([1, 2, 3].map(() => world.admin.delete(path)))
      expect(replies.map(({ status }) => status).sort()).toEqual([204, 404, 404])
      expect(
        (await world.admin.put(path, { data: { type: kind.resource.type } })).status,
      ).toBeGreaterThanOrEqual(400)
    })
  },
)
