import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import { openWorld, type World } from '../../support/world.ts'

const path = '/v2/settings/specifications/openapi'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

test('the document of a store without flows is that of the server', async () => {
  const { status, body } = await world.admin.get(path)
  expect([status, body]).toEqual([200, (await world.nobody.get('/openapi.json')).body])
  expect(body.components.schemas.Product.properties.attributes.properties.extensions).toMatchObject({
    additionalProperties: { type: 'object' },
    readOnly: true,
  })
})

test('the document has the fields that flows and templates add', async () => {
  const { admin } = world
  const flow = await makeFlow(admin, 'customers', {
    shoe_size: { field_type: 'integer', description: 'In Europe.', default: 40 },
    gone: { field_type: 'string', enabled: false },
  })
  await makeFlow(admin, 'products', { season: { field_type: 'string', required: true } })
  await makeFlow(admin, 'products(book)', {
    isbn: { field_type: 'string' },
    old: { field_type: 'date', enabled: false },
  })
  const { body } = await admin.get(path)
  const { valid, errors } = await new Validator().validate(structuredClone(body))
  expect([valid, errors]).toEqual([true, undefined])
  const { Customer, NewCustomer, CustomerChanges, Product, NewProduct } = body.components.schemas
  const shoeSize = expect.objectContaining({ type: ['integer', 'null'], description: 'In Europe.' })
  for (const { properties } of [Customer, NewCustomer, CustomerChanges]) {
    expect(properties.shoe_size).toEqual(shoeSize)
    expect(properties).not.toHaveProperty('gone')
  }
  expect(NewProduct.properties.attributes.required).toContain('season')
  expect(NewProduct.properties.attributes.properties).not.toHaveProperty('extensions')
  const { extensions } = Product.properties.attributes.properties
  expect(extensions.properties['products(book)'].properties).toEqual({
    isbn: expect.objectContaining({ type: ['string', 'null'] }),
  })
  await flow.change('shoe_size', { slug: 'size' })
  expect((await admin.get(path)).body.components.schemas.Customer.properties).toHaveProperty('size')
  // Of no other store.
  const { body: general } = await world.nobody.get('/openapi.json')
  expect(general.components.schemas.Customer.properties).not.toHaveProperty('size')
})

test('the document describes the entries of each flow', async () => {
  const { admin } = world
  await makeFlow(admin, 'birds', {
    wings: { field_type: 'integer', required: true, description: 'How many.' },
    name: { field_type: 'string' },
    friends: { field_type: 'relationship', validation_rules: [{ type: 'one-to-many', to: 'bird' }] },
  })
  await makeFlow(admin, 'products(bird)', { isbn: { field_type: 'string' } })
  await makeFlow(admin, 'accounts', { tier: { field_type: 'string' } })
  const { body } = await admin.get(path)
  const { valid, errors } = await new Validator().validate(structuredClone(body))
  expect([valid, errors]).toEqual([true, undefined])
  // biome-ignore lint/suspicious/noExplicitAny: a document is what the test is about.
  const dataOf = ({ content }: any) => {
    const { properties } = content['application/json'].schema
    const { $ref } = properties.data.items ?? properties.data
    return body.components.schemas[$ref.split('/').at(-1)]
  }
  const [many, one] = ['', '/{id}'].map((end) => body.paths[`/v2/flows/birds/entries${end}`])
  expect(many.get.parameters.map(({ name }: { name?: string }) => name)).not.toContain('flow_id')
  const wings = { type: 'integer', description: 'How many.' }
  const shown = [
    many.get.responses[200],
    many.post.responses[201],
    one.get.responses[200],
    one.put.responses[200],
  ]
  // An entry that is older than the field has no value.
  const older = { ...wings, type: ['integer', 'null'] }
  for (const schema of shown.map(dataOf)) {
    expect(schema.properties).toMatchObject({
      wings: older,
      name: { type: ['string', 'null'] },
      relationships: {},
    })
    expect(schema).not.toHaveProperty('additionalProperties')
  }
  const [created, changed] = [many.post, one.put].map(({ requestBody }) => dataOf(requestBody))
  expect([created.required, changed.required]).toEqual([['type', 'wings'], ['type']])
  expect(created.properties).toMatchObject({ wings, name: { type: ['string', 'null', 'number', 'boolean'] } })
  const template = body.paths['/v2/flows/products(bird)/entries'].post
  expect(dataOf(template.requestBody)).toMatchObject({ required: ['type', 'id'], properties: { isbn: {} } })
  const core = body.paths['/v2/flows/accounts/entries/{id}']
  expect(dataOf(core.put.requestBody).properties).toHaveProperty('tier')
  const generic = dataOf(body.paths['/v2/flows/{flow_id}/entries'].post.responses[201])
  expect(generic.additionalProperties).toEqual({ description: 'The fields of the flow, by slug.' })
})

test('the document is built once for each state of the store, and is current at the next request', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: to count the calls.
  const instance = world.server.instance as any
  const make = instance.apiDocument
  let count = 0
  instance.apiDocument = (...args: unknown[]) => {
    count += 1
    return make(...args)
  }
  const flow = await makeFlow(world.admin, 'fish', { fins: { field_type: 'integer' } })
  const readMany = () => Promise.all(Array.from({ length: 6 }, () => world.shopper.get(path)))
  let before = count
  const replies = await readMany()
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(count - before, 'by six requests at once').toBeLessThanOrEqual(1)
  before = count
  await readMany()
  expect(count, 'when it is read again').toBe(before)
  let etag = replies[0]?.headers.get('etag') ?? ''
  expect((await world.shopper.get(path, { 'if-none-match': etag })).status).toBe(304)
  const fin = 'For swimming.'
  const changes = [
    [() => flow.change('fins', { description: fin }), 'fish', fin, undefined],
    [() => flow.addField('tail', { field_type: 'string' }), 'fish', fin, 'A tail'],
    [() => world.admin.put(flow.path, { data: { type: 'flow', slug: 'fishes' } }), 'fishes', fin, 'A tail'],
    [() => world.admin.delete(flow.path), 'fishes', undefined, undefined],
  ] as const
  for (const [change, slug, description, tail] of changes) {
    await change()
    const { status, headers, body } = await world.shopper.get(path, { 'if-none-match': etag })
    expect([slug, status]).toEqual([slug, 200])
    etag = headers.get('etag') ?? ''
    const fields = body.components.schemas[`FlowEntry_${slug}`]?.properties ?? {}
    expect([fields.fins?.description, fields.tail && 'A tail']).toEqual([description, tail])
  }
  instance.apiDocument = make
})
