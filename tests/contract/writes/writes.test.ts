import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writable } from '../../../server/kernel/body/input.ts'
import { flatten, pathOf } from '../../../server/kernel/shape/envelope.ts'
import type { Field, Fields, JsonSchema } from '../../../server/kernel/shape/fields.ts'
import { leadsToUnborn, Samples, sampleFrom, specimensWith } from '../../builders/samples.ts'
import { bulkyText } from '../../support/any-texts.ts'
import type { Reply } from '../../support/client.ts'
import { bodyWith, createFields, type Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { objectTraits, representativesOf } from '../classes.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const problem = ({ status, body }: Reply) => [status, body?.errors?.[0]?.code, body?.errors?.[0]?.source]
/** The part of an entity tag that If-Match compares. */
const versionIn = (etag: string) => etag.replace(/-.*/, '')
const declared = (specimen: Specimen) => writable(createFields(specimen)).filter(([name]) => name !== 'meta')
/** The `source` of a field in a refusal of a create. */
const at = ({ operations, resource }: Specimen, name: string) =>
  pathOf(operations.create?.of.is === 'action' ? undefined : resource.envelope, name)
const collectionOf = ({ resource }: Specimen) => samples.path(resource.path)

/** A JSON value of a type that the schema does not accept. */
function wrong(schema: JsonSchema): unknown {
  const types = [schema.type].flat()
  if (schema.type === undefined) return undefined
  return [17, 'text', true, [], {}].find((value) => {
    const type = Array.isArray(value) ? 'array' : typeof value
    return !types.includes(type) && !(type === 'number' && types.includes('integer'))
  })
}

/** The values of a flag or an enumeration. */
const choices = ({ schema }: Field): readonly unknown[] =>
  Array.isArray(schema.enum) ? schema.enum : [schema.type].flat()[0] === 'boolean' ? [false, true] : []

/** Expects that each choice of `fields` is accepted and shown, or refused by its name. */
async function mustTakeEachChoice(
  { resource }: Specimen,
  fields: readonly (readonly [string, Field])[],
  send: (name: string, value: unknown) => Promise<Reply>,
): Promise<void> {
  for (const [name, field] of fields) {
    for (const value of choices(field)) {
      const reply = await send(name, value)
      const { status, body } = reply
      const message = `${name}: ${JSON.stringify(value)} is answered ${status} ${JSON.stringify(body)}`
      if (status < 300) {
        const shown = flatten(resource.envelope, body.data)
        if (name in shown) expect(shown[name], message).toEqual(value)
      } else {
        expect([400, 409, 422], message).toContain(status)
        expect(JSON.stringify(body.errors), message).toContain(name)
      }
    }
  }
}

const creates = representativesOf(specimensWith('create'), objectTraits)

describe.each(specimensWith('create'))('create $name', (specimen) => {
  const isRepresentative = creates.includes(specimen)
  const { resource } = specimen

  const refused = resource.refusedWith ? [422, 'unprocessable'] : [400, 'invalid_field']

  test('ignores unknown members, and members that only the server sets', async () => {
    const collection = await collectionOf(specimen)
    const values = await samples.values(specimen, collection, true)
    const { closed = false } = resource
    const { of } = specimen.operations.create ?? {}
    // Their links are the client's.
    const linked = of?.is === 'resource' && of.links ? 'relationships' : undefined
    const readOnly = Object.entries(resource.fields as Fields).filter(
      ([name, { options }]) => options.readOnly && !(closed && options.hidden) && name !== linked,
    )
    const extra = Object.fromEntries(readOnly.map(([name]) => [name, 'set by me']))
    const unknown = { ...extra, ...values, ...(!closed && { no_such_field: 1 }) }
    const { data } = bodyWith(specimen, 'create', unknown)
    const sent = { ...data, no_such_field: 1, id: randomUUID(), links: {}, meta: { etag_id: 'mine' } }
    const { status, body } = await world.admin.post(collection, { data: sent, more: 1 })
    expect([status, body.errors], `a create with ${JSON.stringify(sent)}`).toEqual([201, undefined])
    if (!('id' in createFields(specimen))) expect(body.data.id, 'the id').not.toBe(sent.id)
    expect(JSON.stringify(body)).not.toContain('no_such_field')
    const shown = flatten(resource.envelope, body.data)
    for (const [name] of readOnly) expect(shown[name], name).not.toBe('set by me')
  })

  test.runIf(resource.closed)('refuses attributes that it does not know, by name', async () => {
    const collection = await collectionOf(specimen)
    const values = await samples.values(specimen, collection)
    const reply = await world.admin.post(
      collection,
      bodyWith(specimen, 'create', { ...values, no_such_field: 1 }),
    )
    expect(problem(reply)).toEqual([...refused, at(specimen, 'no_such_field')])
  })

  test('refuses a body without data or type, or with another type', async () => {
    const collection = await collectionOf(specimen)
    const { data } = await samples.body(specimen, collection)
    for (const body of [{}, { data: null }, { data: [] }, { data: 'x' }, [], 1, null, 'x']) {
      const reply = await world.admin.post(collection, body)
      expect(problem(reply), JSON.stringify(body)).toEqual([400, 'invalid_field', 'data'])
    }
    const { type: _, ...rest } = data
    const untyped = await world.admin.post(collection, { data: rest })
    if (!resource.typeOptional) {
      expect(problem(untyped), 'a body without type').toEqual([...refused, 'data.type'])
    }
    for (const type of ['no_such_type', 1, null]) {
      const reply = await world.admin.post(collection, { data: { ...data, type } })
      expect(problem(reply), `the type ${type}`).toEqual([...refused, 'data.type'])
    }
  })

  test('names each missing required field', async () => {
    const collection = await collectionOf(specimen)
    const values = await samples.values(specimen, collection, true)
    for (const [name] of declared(specimen).filter(([, { options }]) => options.required)) {
      const { [name]: _, ...rest } = values
      const reply = await world.admin.post(collection, bodyWith(specimen, 'create', rest))
      expect(problem(reply), `a body without ${name}`).toEqual([...refused, at(specimen, name)])
      expect(reply.body.errors[0].detail).toContain(name)
    }
  })

  test('names each field with a value of the wrong type', async () => {
    const collection = await collectionOf(specimen)
    const values = await samples.values(specimen, collection, true)
    for (const [name, { schema, options }] of declared(specimen)) {
      const value = wrong(schema)
      const wrongs =
        value === undefined ? [] : [value, ...(options.nullable || !options.required ? [] : [null])]
      for (const bad of wrongs) {
        const sent = bodyWith(specimen, 'create', { ...values, [name]: bad })
        const { status, body } = await world.admin.post(collection, sent)
        expect([name, status, body.errors?.[0].source]).toEqual([
          name,
          expect.toSatisfy((code: number) => code >= 400 && code < 500),
          expect.stringMatching(new RegExp(`^${at(specimen, name).replaceAll('.', '\\.')}`)),
        ])
      }
    }
  })

  test('accepts each value of an enumeration, or says why not', async () => {
    const collection = await collectionOf(specimen)
    await mustTakeEachChoice(specimen, declared(specimen), async (name, value) => {
      const values = await samples.values(specimen, collection, true)
      return world.admin.post(collection, bodyWith(specimen, 'create', { ...values, [name]: value }))
    })
  })

  test('refuses texts that do not fit the schema', async () => {
    const collection = await collectionOf(specimen)
    const values = await samples.values(specimen, collection, true)
    const post = (value: object) =>
      world.admin.post(collection, bodyWith(specimen, 'create', { ...values, ...value }))
    const texts = declared(specimen).filter(([, { schema }]) => [schema.type].flat().includes('string'))
    for (const [name, { schema }] of texts) {
      for (const bad of ['a\u0000b', '\ud800']) {
        const { status, body } = await post({ [name]: bad })
        expect([name, status, body.errors?.[0].source]).toEqual([name, 400, at(specimen, name)])
      }
      if (typeof schema.maxLength !== 'number') continue
      const long = 'x'.repeat(schema.maxLength + 1)
      const { status, body } = await post({ [name]: long })
      // The whole object may have a limit of its own.
      if (status === 413) continue
      expect([name, status, body.errors?.[0].source]).toEqual([name, refused[0], at(specimen, name)])
    }
  })

  test('accepts texts of the declared length, or says why not', async () => {
    const collection = await collectionOf(specimen)
    for (const [name, { schema, options }] of declared(specimen)) {
      const { type, maxLength: max, format, pattern, enum: few } = schema
      if (![type].flat().includes('string') || typeof max !== 'number') continue
      // Under `inputName` something else is shown.
      if (format || pattern || few || options.refersTo || options.inputName) continue
      const values = { ...(await samples.values(specimen, collection)), [name]: bulkyText(max) }
      const { status, body } = await world.admin.post(collection, bodyWith(specimen, 'create', values))
      const message = `${name} of ${max} characters is answered ${status} ${JSON.stringify(body.errors)}`
      expect([201, 400, 409, 413, 422], message).toContain(status)
      if (status === 201)
        expect(flatten(resource.envelope, body.data)[name] ?? values[name], message).toBe(values[name])
      else expect(JSON.stringify(body.errors), message).toContain(name)
    }
  })

  test.runIf(isRepresentative)(
    'refuses bodies that are too large, not JSON, malformed or missing',
    async () => {
      const collection = await collectionOf(specimen)
      const large = JSON.stringify({ data: { type: resource.type, x: 'x'.repeat(1024 * 1024) } })
      const tooLarge = await world.admin.send('POST', collection, { body: large })
      expect(problem(tooLarge)[0], 'a body of more than a megabyte').toBe(413)
      const cases: [body: string, contentType: string, status: number, code: string][] = [
        ['{"data":{}}', 'application/xml', 415, 'unsupported_media_type'],
        ['data', 'text/plain', 415, 'unsupported_media_type'],
        ['a=b', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
        ['{"data":', 'application/json', 400, 'malformed_json'],
        ['', 'application/json', 400, 'invalid_field'],
        [`{"data":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'application/json', 400, 'bad_request'],
      ]
      for (const [body, type, status, code] of cases) {
        const reply = await world.admin.send('POST', collection, { body, headers: { 'content-type': type } })
        expect(problem(reply).slice(0, 2), `${type}: ${body.slice(0, 20)}`).toEqual([status, code])
      }
      expect((await world.admin.send('POST', collection)).status, 'no body').toBe(400)
    },
  )

  test.runIf(isRepresentative)('with an Idempotency-Key, runs once', async () => {
    const collection = await collectionOf(specimen)
    const body = await samples.body(specimen, collection)
    const headers = { 'idempotency-key': randomUUID() }
    const together = await Promise.all(
      Array.from({ length: 6 }, () => world.admin.post(collection, body, headers)),
    )
    const codes = together.map(({ status }) => status)
    expect(
      codes.filter((status) => status !== 201 && status !== 409),
      'the statuses of six concurrent requests',
    ).toEqual([])
    const again = await world.admin.post(collection, body, headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    for (const one of together.filter(({ status }) => status === 201)) expect(one.body).toEqual(again.body)
    const other = await world.admin.post(collection, { ...body, more: 1 }, headers)
    expect(problem(other).slice(0, 2), 'another body under the key').toEqual([422, 'unprocessable'])
    const long = await world.admin.post(collection, body, { 'idempotency-key': 'x'.repeat(256) })
    expect(long.status, 'a key of 256 characters').toBe(400)
  })
})

const reads = representativesOf(specimensWith('get'), objectTraits)

describe.each(specimensWith('get'))('$name', (specimen) => {
  const { resource, operations } = specimen

  test.runIf(reads.includes(specimen))('has an entity tag, and answers 304 to it', async () => {
    const { path } = await samples.make(specimen)
    const first = await world.admin.get(path)
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const tag of [etag, etag.slice(2), '*', `"x", ${etag}`]) {
      const reply = await world.admin.get(path, { 'if-none-match': tag })
      expect([tag, reply.status, reply.body, reply.headers.get('etag')]).toEqual([tag, 304, undefined, etag])
    }
    expect((await world.admin.get(path, { 'if-none-match': '"x"' })).status, 'of another tag').toBe(200)
  })

  test.skipIf(resource.unborn)('is a 404 under ids that are unknown or no ids', async () => {
    const { collection } = await samples.make(specimen)
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
    const object = await samples.make(specimen)
    const parents = resource.path.split('/').flatMap((part, i) => (part.startsWith(':') ? [i] : []))
    for (const parent of parents) {
      for (const unknown of [randomUUID(), 'x']) {
        const lists = operations.list && !leadsToUnborn({ path: resource.path })
        for (const path of lists ? [object.path, object.collection] : [object.path]) {
          const elsewhere = path.split('/').with(parent, unknown).join('/')
          expect((await world.admin.get(elsewhere)).status, elsewhere).toBe(404)
        }
      }
    }
  })
})

const updates = representativesOf(specimensWith('get', 'update'), objectTraits)

describe.each(specimensWith('get', 'update'))('update $name', (specimen) => {
  const { resource, operations } = specimen

  test('accepts its own response, and keeps values that are not sent', async () => {
    const { path } = await samples.make(specimen)
    const before = await world.admin.get(path)
    const whole = await world.admin.put(path, before.body)
    expect([whole.status, whole.body.errors], 'an update with all that it gave').toEqual([200, undefined])
    const data = flatten(resource.envelope, before.body.data)
    const needed = Object.entries(resource.fields as Fields).filter(
      ([, { options }]) => options.requiredOnUpdate,
    )
    const least = { type: data.type, ...Object.fromEntries(needed.map(([name]) => [name, data[name]])) }
    const { status, body } = await world.admin.put(path, bodyWith(specimen, 'update', least))
    expect([status, body.errors], `an update with ${Object.keys(least)}`).toEqual([200, undefined])
    // Wherever the envelope has it, the time of the update is its own.
    const apart = { meta: undefined, links: undefined, updated_at: undefined }
    for (const after of [whole.body.data, body.data]) {
      expect({ ...flatten(resource.envelope, after), ...apart }).toEqual({ ...data, ...apart })
    }
  })

  test('accepts each value of an enumeration, or says why not', async () => {
    const fields = writable(resource.fields).filter(([, { options }]) => !options.immutable)
    const { path } = await samples.make(specimen)
    await mustTakeEachChoice(specimen, fields, async (name, value) => {
      const data = flatten(resource.envelope, (await world.admin.get(path)).body.data)
      return world.admin.put(path, bodyWith(specimen, 'update', { ...data, [name]: value }))
    })
  })

  test.runIf(updates.includes(specimen))('changes only the version that If-Match names', async () => {
    const made = await samples.make(specimen)
    const before = await world.admin.get(made.path)
    const stale = before.headers.get('etag') as string
    const second = await world.admin.put(made.path, samples.changes(specimen, made.body), {
      'if-match': stale,
    })
    expect(second.status, JSON.stringify(second.body)).toBe(200)
    const { path } = sampleFrom(made.collection, resource, second.body)
    const first = await world.admin.get(path)
    const current = second.headers.get('etag') as string
    // Some have nothing that a made-up update could change.
    if (JSON.stringify(second.body) !== JSON.stringify(before.body)) {
      expect(current, 'the entity tag after an update').not.toBe(stale)
    }
    const refused = await world.admin.put(path, first.body, { 'if-match': '"stale"' })
    expect(problem(refused).slice(0, 2), 'an update of "stale"').toEqual([412, 'precondition_failed'])
    expect(refused.body.errors[0].detail).toContain('stale')
    expect(refused.body.errors[0].detail).toContain(versionIn(current))
    for (const tag of ['*', current.slice(2), `"x", ${current}`]) {
      const now = (await world.admin.get(path)).headers.get('etag') as string
      const reply = await world.admin.put(path, first.body, {
        'if-match': tag.replace(current.slice(2), now.slice(2)),
      })
      expect([tag, reply.status]).toEqual([tag, 200])
    }
    if (!operations.delete) return
    const refusal = await world.admin.delete(path, { 'if-match': '"stale"' })
    expect(refusal.status, 'a delete of "stale"').toBe(412)
    const last = (await world.admin.get(path)).headers.get('etag') as string
    const gone = await world.admin.delete(path, { 'if-match': last })
    expect(gone.status, `a delete of ${last}`).toBe(operations.delete.status)
    expect((await world.admin.get(path)).status, 'a read of what is gone').toBe(resource.unborn ? 200 : 404)
  })
})

describe.each(specimensWith('create', 'delete').filter(({ resource }) => !resource.unborn))(
  'delete $name',
  (specimen) => {
    test('succeeds once', async () => {
      const { path } = await samples.make(specimen)
      const replies = await Promise.all([1, 2, 3].map(() => world.admin.delete(path)))
      const codes = replies.map(({ status }) => status)
      expect(codes.sort(), 'statuses of three deletes at once').toEqual([
        specimen.operations.delete?.status,
        404,
        404,
      ])
      const late = await world.admin.put(path, { data: { type: specimen.resource.type } })
      expect(late.status, 'an update of what is gone').toBeGreaterThanOrEqual(400)
    })
  },
)
