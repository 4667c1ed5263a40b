import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFlow } from '../../builders/fields/flows.ts'
import type { Client } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const customer = (more: object = {}) => ({
  data: { type: 'customer', name: 'Ada', email: `${crypto.randomUUID()}@example.com`, ...more },
})
const product = (more: object = {}) => ({
  data: { type: 'product', attributes: { name: 'A book', commodity_type: 'physical', ...more } },
})
const errorOf = ({ status, body }: Awaited<ReturnType<Client['get']>>) => [status, body.errors?.[0].source]

test('a string field stores numbers and booleans as text', async () => {
  const string = { field_type: 'string' }
  const isbn = {
    field_type: 'string',
    validation_rules: [{ type: 'enum', options: ['9780099419785', 'true'] }],
  }
  const flow = await makeFlow(world.admin, 'books', { isbn, note: string })
  const reply = await flow.create({ isbn: 9780099419785, note: 1.5 })
  expect([reply.status, reply.body.data]).toEqual([
    201,
    expect.objectContaining({ isbn: '9780099419785', note: '1.5' }),
  ])
  const path = `${flow.entries}/${reply.body.data.id}`
  const changed = await world.admin.put(path, { data: { type: 'entry', isbn: true, note: false } })
  expect([changed.status, changed.body.data]).toEqual([
    200,
    expect.objectContaining({ isbn: 'true', note: 'false' }),
  ])
  const list = await world.admin.get(`${flow.entries}?filter=eq(note,false)`)
  expect(list.body.meta.results.total).toBe(1)
  // A number that JSON cannot carry exactly would be stored as another one.
  for (const wrong of [{ isbn: 1 }, { note: 2 ** 60 }, { note: {} }, { note: [] }]) {
    const [source] = Object.keys(wrong).map((name) => `data.${name}`)
    expect(errorOf(await flow.create(wrong))).toEqual([422, source])
  }
  expect((await flow.create({ isbn: null })).body.data.isbn).toBe(null)
})

test('a string field that a flow adds to a resource stores numbers as text, under attributes too', async () => {
  const people = await makeFlow(world.admin, 'customers', { member_number: { field_type: 'string' } })
  const reply = await world.admin.post('/v2/customers', customer({ member_number: 42 }))
  expect([reply.status, reply.body.data.member_number]).toEqual([201, '42'])
  const entry = await world.admin.put(`${people.entries}/${reply.body.data.id}`, {
    data: { type: 'entry', member_number: 43 },
  })
  expect([entry.status, entry.body.data.member_number]).toEqual([200, '43'])
  await makeFlow(world.admin, 'products', { shelf: { field_type: 'string' } })
  const shelved = await world.admin.post('/pcm/products', product({ shelf: 7 }))
  expect([shelved.status, shelved.body.data.attributes.shelf]).toEqual([201, '7'])
  const template = await makeFlow(world.admin, 'products(book)', { isbn: { field_type: 'string' } })
  const templateEntry = await template.create({ id: shelved.body.data.id, isbn: 9780099419785 })
  expect([templateEntry.status, templateEntry.body.data.isbn]).toEqual([201, '9780099419785'])
})

test('other fields accept only values of their type', async () => {
  const flow = await makeFlow(world.admin, 'strict', {
    n: { field_type: 'integer' },
    yes: { field_type: 'boolean' },
    day: { field_type: 'date' },
  })
  for (const wrong of [{ n: '1' }, { n: true }, { yes: 'true' }, { yes: 1 }, { day: 20200101 }]) {
    expect([wrong, (await flow.create(wrong)).status]).toEqual([wrong, 422])
  }
})

test('a default is shown as it was sent, and applied in the type of the field', async () => {
  const flow = await makeFlow(world.admin, 'defaults', {})
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['integer', '1', 1],
    ['integer', 2, 2],
    ['float', '2.5', 2.5],
    ['boolean', 'true', true],
    ['string', 0, '0'],
    ['string', false, 'false'],
    ['date', '2020-01-01', '2020-01-01'],
    ['string', null, null],
  ]
  for (const [i, [field_type, sent, applied]] of cases.entries()) {
    const field = await flow.addField(`f${i}`, { field_type, default: sent })
    expect([field.status, field.body.data.default]).toEqual([201, sent])
    const read = await world.admin.get(`/v2/fields/${field.body.data.id}`)
    expect(read.body.data.default).toEqual(sent)
    const reply = await flow.create({})
    expect([reply.status, reply.body.data[`f${i}`]]).toEqual([201, applied])
  }
})

test('a default that breaks the rules of its field is accepted, and an entry that would get it is refused', async () => {
  const flow = await makeFlow(world.admin, 'seasons', {})
  const uuid = {
    field_type: 'string',
    validation_rules: [{ type: 'uuid' }],
    default: 'summer',
    required: true,
  }
  const reply = await flow.addField('season', uuid)
  expect([reply.status, reply.body.data.default]).toEqual([201, 'summer'])
  expect((await flow.addField('n', { field_type: 'integer', default: 'many' })).status).toBe(201)
  const season = crypto.randomUUID()
  expect(errorOf(await flow.create({ n: 1 }))).toEqual([422, 'data.season'])
  expect(errorOf(await flow.create({ season }))).toEqual([422, 'data.n'])
  const entry = await flow.create({ season, n: null })
  expect([entry.status, entry.body.data.n]).toEqual([201, null])
  const changed = await world.admin.put(`${flow.entries}/${entry.body.data.id}`, { data: { type: 'entry' } })
  expect(changed.status).toBe(200)
  await flow.change('n', { default: '5' })
  expect((await flow.create({ season })).body.data.n).toBe(5)
})

test('a default that breaks the rules keeps a resource from being created without a value', async () => {
  await makeFlow(world.other, 'customers', {
    size: {
      field_type: 'integer',
      default: 9,
      validation_rules: [{ type: 'between', options: { from: 1, to: 5 } }],
    },
  })
  expect(errorOf(await world.other.post('/v2/customers', customer()))).toEqual([422, 'data.size'])
  const reply = await world.other.post('/v2/customers', customer({ size: 3 }))
  expect([reply.status, reply.body.data.size]).toEqual([201, 3])
  const path = `/v2/customers/${reply.body.data.id}`
  expect((await world.other.put(path, { data: { type: 'customer', name: 'Bea' } })).status).toBe(200)
})
