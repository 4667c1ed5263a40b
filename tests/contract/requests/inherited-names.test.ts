import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fields } from '../../../server/kernel/shape/fields.ts'
import { fieldOf, makeFlow } from '../../builders/fields/flows.ts'
import { Samples, specimensWith } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { sampleValue } from '../../support/sample-values.ts'
import { bodyWith, createFields, type Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** Names that every JavaScript object inherits: where a client may choose a name, these are names like any other. */
const inherited = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'] as const

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const ok = (reply: Reply, status: number) => {
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  return reply.body.data
}
const valuesOf = (values: object, names: readonly string[] = inherited) =>
  Object.fromEntries(names.map((name) => [name, Object.getOwnPropertyDescriptor(values, name)?.value]))
const all = (value: unknown) => Object.fromEntries(inherited.map((name) => [name, value]))

/** Maps of plain values, with as many such keys as they may have. */
const mapsOf = (specimen: Specimen) =>
  Object.entries(createFields(specimen) as Fields).flatMap(([name, { each, schema }]) => {
    if (!each || each.members) return []
    const keys = ['__proto__', ...inherited].slice(0, Number(schema.maxProperties))
    return [[name, Object.fromEntries(keys.map((key) => [key, sampleValue(key, each)]))] as const]
  })

describe.each(specimensWith('create').filter((one) => mapsOf(one).length > 0))('$name', (specimen) => {
  test('accepts inherited names as keys of its maps', async () => {
    const collection = await samples.path(specimen.resource.path)
    const maps = Object.fromEntries(mapsOf(specimen))
    const body = bodyWith(specimen, 'create', { ...(await samples.values(specimen, collection)), ...maps })
    const data = ok(await world.admin.post(collection, body), 201)
    const shown = data.attributes ?? data
    for (const [name, values] of Object.entries(maps)) {
      const names = Object.keys(values)
      expect(valuesOf(shown[name], names)).toEqual(valuesOf(values, names))
    }
  })
})

describe.each([
  ['string', 'a text'],
  ['integer', 7],
] as const)('fields of flows with such names, of type %s', (field_type, value) => {
  const fields = Object.fromEntries(inherited.map((name) => [name, { field_type, omit_null: true }]))

  test('work in entries', async () => {
    const flow = await makeFlow(world.admin, `things-${field_type}`, fields)
    const empty = ok(await flow.create({}), 201)
    for (const name of inherited) expect(Object.hasOwn(empty, name)).toBe(false)
    const path = `${flow.entries}/${empty.id}`
    const full = ok(await world.admin.put(path, { data: { type: 'entry', ...all(value) } }), 200)
    expect(valuesOf(full)).toEqual(all(value))
    expect(valuesOf(ok(await world.admin.get(path), 200))).toEqual(all(value))
    for (const name of inherited) {
      const page = await world.admin.get(`${flow.entries}?filter=eq(${name},${encodeURIComponent(value)})`)
      expect([name, page.status, page.body.meta?.results.total]).toEqual([name, 200, 1])
    }
  })

  test('work in the objects that a flow extends', async () => {
    const client = field_type === 'string' ? world.admin : world.other
    const flow = await makeFlow(client, 'customers', fields)
    await makeFlow(client, 'products', fields)
    const template = await makeFlow(client, 'products(toString)', fields)
    const customer = { type: 'customer', name: 'Ada', email: `${crypto.randomUUID()}@example.com` }
    const object = ok(await client.post('/v2/customers', { data: customer }), 201)
    for (const name of inherited) expect(Object.hasOwn(object, name)).toBe(false)
    const path = `/v2/customers/${object.id}`
    ok(await client.put(path, { data: { type: 'customer', ...all(value) } }), 200)
    expect(valuesOf(ok(await client.get(path), 200))).toEqual(all(value))
    expect(valuesOf(ok(await client.get(`${flow.entries}/${object.id}`), 200))).toEqual(all(value))
    await flow.change('toString', { enabled: false })
    await flow.change('toString', { enabled: true, omit_null: false })
    expect(valuesOf(ok(await client.get(path), 200))).toEqual(all(value))
    const attributes = { name: 'A book', commodity_type: 'physical' }
    const product = ok(await client.post('/pcm/products', { data: { type: 'product', attributes } }), 201)
    for (const name of inherited) expect(Object.hasOwn(product.attributes, name)).toBe(false)
    ok(await template.create({ id: product.id, constructor: value }), 201)
    const read = ok(await client.get(`/pcm/products/${product.id}`), 200)
    expect(read.attributes.extensions['products(toString)']).toEqual({ constructor: value })
    expect((await client.get('/v2/settings/specifications/openapi')).status).toBe(200)
  })
})

test('a field cannot be named __proto__, a flow can', async () => {
  const flow = await makeFlow(world.admin, '__proto__', { a: { field_type: 'string' } })
  expect(ok(await flow.create({ a: 'x' }), 201).a).toBe('x')
  const field = fieldOf(flow.id, '__proto__', { field_type: 'string' })
  expect((await world.admin.post('/v2/fields', { data: field })).status).toBe(422)
})

test('flows, links and custom APIs accept inherited names', async () => {
  for (const slug of inherited) {
    const rule = { type: 'one-to-many', to: 'customer' }
    const flow = await makeFlow(world.admin, slug, { [slug]: { field_type: 'string' } })
    const link = fieldOf(flow.id, 'valueOfLinks', { field_type: 'relationship', validation_rules: [rule] })
    ok(await world.admin.post('/v2/fields', { data: link }), 201)
    const { id } = ok(await flow.create({ [slug]: 'x' }), 201)
    const links = `${flow.entries}/${id}/relationships/valueOfLinks`
    ok(await world.admin.post(links, { data: [{ type: 'customer', id: slug }] }), 201)
    expect((await world.admin.post(`${flow.entries}/${id}/relationships/${slug}`, { data: [] })).status).toBe(
      404,
    )
    const apis = '/v2/settings/extensions/custom-apis'
    const lower = slug.toLowerCase()
    const api = { type: 'custom_api', name: slug, slug: lower, api_type: `${lower}_ext` }
    const object = ok(await world.admin.post(apis, { data: api }), 201)
    for (const name of inherited) {
      const field = { type: 'custom_field', name, slug: name, field_type: 'string' }
      const validation = { string: { immutable: name === 'valueOf' } }
      ok(await world.admin.post(`${apis}/${object.id}/fields`, { data: { ...field, validation } }), 201)
    }
    const [entries, type] = [`/v2/extensions/${lower}`, `${lower}_ext`]
    const empty = ok(await world.admin.post(entries, { data: { type } }), 201)
    expect(valuesOf(empty)).toEqual(all(null))
    const others = { ...all('y'), valueOf: null }
    const put = await world.admin.put(`${entries}/${empty.id}`, { data: { type, ...others } })
    expect(valuesOf(ok(put, 200))).toEqual(others)
  }
})

test('texts, tags and custom relationships of products accept inherited names', async () => {
  const locales = Object.fromEntries(inherited.map((name) => [name, { name: `In ${name}` }]))
  const attributes = { name: 'A shirt', commodity_type: 'physical', tags: [...inherited], locales }
  const product = await world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
  expect(ok(product, 201).attributes.locales).toEqual(locales)
  expect(product.body.data.attributes.tags.toSorted()).toEqual(
    inherited.map((name) => name.toLowerCase()).toSorted(),
  )
  for (const name of inherited) {
    const kind = { type: 'custom-relationship', attributes: { name, slug: `CRP_${name}` } }
    const relationship = await world.admin.post('/pcm/custom-relationships', { data: kind })
    expect([name, relationship.status]).toEqual([name, 201])
    const page = await world.admin.get(`/pcm/products?filter=eq(tags,${name})`)
    expect([name, page.status, page.body.data?.length]).toEqual([name, 200, 1])
  }
})
