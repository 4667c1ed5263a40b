import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { makeSampleApi } from '../../builders/fields/sample-api.ts'
import { openShop } from '../../builders/orders/buying.ts'
import { memberCredentials } from '../../builders/people/account-samples.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { formOf, operationsOf, withIds } from '../../support/document/examples.ts'
import { generatorFaults } from '../../support/document/generators.ts'
import { lint } from '../../support/document/lint.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
let others: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
  others = new Samples(world.other)
})
afterAll(() => world.close())

test('the API document describes everything in it', () => {
  expect(lint(sutlerApi())).toEqual([])
})

test('generators of code can read the API document, and that of a store with fields of its own', async () => {
  expect(generatorFaults(document)).toEqual([])
  for (const slug of ['products(shelf.wall)', 'customers', 'shelf-notes'])
    await makeFlow(world.admin, slug, { size: { field_type: 'string' }, since: { field_type: 'date' } })
  await makeSampleApi(world.admin)
  for (const path of [
    '/v2/settings/specifications/openapi',
    '/v2/settings/extensions/specifications/openapi',
  ]) {
    const { status, body } = await world.admin.get(path)
    expect([status, generatorFaults(body)]).toEqual([200, []])
  }
})

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const document: Node = sutlerApi(appAndWorkshop.modules, appAndWorkshop.access)
const documented = operationsOf(document)
const resolved = (node: Node): Node =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, name: string) => at[name], document)
    : node

/** The values of a keyword, wherever it stands. */
const valuesOf = (keyword: string, node: Node): readonly string[] =>
  typeof node !== 'object' || node === null
    ? []
    : Object.entries(node).flatMap(([name, one]) =>
        name === keyword && typeof one === 'string' ? [one] : valuesOf(keyword, one),
      )

test('every field that refers to an object names a type of the document', () => {
  const types = Object.values<Node>(document.components.schemas).flatMap(({ properties }) =>
    properties?.type?.const ? [properties.type.const] : (properties?.type?.enum ?? []),
  )
  const referred = new Set(valuesOf('x-sutler-refers', document))
  expect(referred.size).toBeGreaterThan(15)
  expect([...referred].filter((type) => !types.includes(type))).toEqual([])
})

/** Operations whose examples other tests send. */
const tried: Readonly<Record<string, string>> = {
  'add-cart-items': 'its product must be for sale: below',
  'create-account-member-tokens': 'the member must exist: below',
  'create-customer-token': 'the customer must exist: below',
  'get-access-token': 'it needs an application key: below',
  'create-colleague-token': 'it needs a colleague: tests/people/colleagues',
  'request-colleague-one-time-password': 'as the one before',
  'change-own-password': 'it needs a colleague with that password: tests/people/colleagues',
  'start-oidc-login': 'it requires all of its parameters: tests/people/oidc',
  'create-cart-payment': 'it needs Stripe: writes/outside-calls.test.ts',
  'update-cart-payment': 'as the one before',
  'confirm-order': 'as the one before',
  'cancel-transaction': 'as the one before',
  'hear-stripe': 'Stripe signs it: tests/payments/transactions',
}

/** The parameters and the bodies of all operations that have an example. */
const examples = operations.flatMap((operation) => {
  if (tried[operation.id]) return []
  const { parameters, requestBody } = documented.get(operation.id)
  const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {}
  const sentForm = form && formOf(form.schema, form.example)
  const query = parameters
    .map(resolved)
    .filter((one: Node) => one.in === 'query' && one.example !== undefined)
    .map((one: Node) => ({
      operation,
      of: one.name,
      query: [one.name, String(one.example)],
      body: sentForm,
    }))
  const body = json?.example ?? sentForm
  return [...query, ...(body === undefined ? [] : [{ operation, of: 'the body', query: [], body }])]
})

test('the API document has examples of filters and bodies', () => {
  expect(examples.filter(({ of }) => of === 'filter').length).toBeGreaterThan(50)
  // A body of any type has none.
  const without = [...documented.values()].filter(({ requestBody }) =>
    Object.entries<Node>(requestBody?.content ?? {}).some(
      ([type, { example }]) => example === undefined && type !== '*/*',
    ),
  )
  expect(without.map(({ operationId }) => operationId)).toEqual([])
})

describe.each(examples)(
  'the example of $of of $operation.id',
  ({ operation, query: [name, value], body }) => {
    test('is accepted', async () => {
      // The two stores keep a name that a create uses free for an update.
      const [client, source] = operation.method === 'PUT' ? [world.other, others] : [world.admin, samples]
      const call = await source.call(operation)
      const url = new URL(call.path, 'http://localhost')
      if (name) url.searchParams.set(name, value)
      const sent = body === undefined ? call.body : body instanceof FormData ? body : withIds(body, call.body)
      const { status, body: answer } = await client.send(operation.method, url.pathname + url.search, {
        ...(sent !== undefined && { body: sent instanceof FormData ? sent : JSON.stringify(sent) }),
      })
      expect([status, answer?.errors]).toEqual([expect.toBeOneOf([200, 201, 202, 204]), undefined])
      // It would choose a catalog of which nothing is published.
      if (operation.id === 'create-catalog-rule') await client.delete(`${call.path}/${answer.data.id}`)
    })
  },
)

const exampleOf = (id: string, type = 'application/json') =>
  documented.get(id).requestBody.content[type].example

test('the example of a customer’s sign-in is accepted if the customer exists', async () => {
  const example = exampleOf('create-customer-token')
  const { email, password } = example.data
  await world.admin.post('/v2/customers', { data: { type: 'customer', name: 'Ada Marsh', email, password } })
  expect((await world.shopper.post('/v2/customers/tokens', example)).status).toBe(200)
})

test('the example of a member’s sign-in is accepted if the member exists', async () => {
  const example = exampleOf('create-account-member-tokens')
  const { username, password } = example.data
  const valid = await memberCredentials(world.admin, samples, { username, password })
  const { status } = await world.shopper.post('/v2/account-members/tokens', withIds(example, valid))
  expect(status).toBe(201)
})

test('the example of an application key’s sign-in is accepted, as a form and as JSON', async () => {
  const credentials = { client_id: world.key.id, client_secret: world.key.secret }
  const [form, json] = ['application/x-www-form-urlencoded', 'application/json'].map((type) => ({
    ...exampleOf('get-access-token', type),
    ...credentials,
  }))
  for (const body of [new URLSearchParams(form).toString(), JSON.stringify(json)])
    expect((await world.nobody.send('POST', '/oauth/access_token', { body })).status).toBe(200)
  expect(Object.keys(exampleOf('get-access-token'))).toEqual(['grant_type', ...Object.keys(credentials)])
})

test('the example of a new item of a cart is accepted if its product is for sale', async () => {
  const example = exampleOf('add-cart-items')
  // In the other stores, examples of products have its SKU.
  const shop = await openWorld()
  await openShop(shop, { [example.data.sku]: 350 })
  const { status, body } = await shop.shopper.post('/v2/carts/example/items', example)
  expect([status, body.errors]).toEqual([201, undefined])
  await shop.close()
})
