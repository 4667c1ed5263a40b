import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { makeSampleApi } from '../../extensions/sample-api.ts'
import { makeFlow } from '../../flows/flows.ts'
import { generatorFaults } from '../../support/document/generators.ts'
import { lint } from '../../support/document/lint.ts'
import { operations, Samples } from '../../support/samples.ts'
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
const documented = new Map<string, Node>(
  Object.values<Node>(document.paths).flatMap((path) =>
    Object.values<Node>(path).map((operation) => [operation.operationId, operation] as const),
  ),
)
const resolved = (node: Node): Node =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, name: string) => at[name], document)
    : node

/** Operations whose examples other tests send. */
const tried: Readonly<Record<string, string>> = {
  'update-cart-item': 'the item must exist first: tests/cart-items',
  'update-cart-items': 'the items must exist first: tests/cart-items',
  'add-tax-items': 'the item must exist first: tests/cart-items',
  'add-cart-items': 'the product must be published first: tests/cart-items',
  'start-oidc-login': 'it requires all of its parameters: tests/oidc',
  'import-products': 'its body is a form: tests/product-csv',
  'create-cart-payment': 'it needs Stripe: tests/cart-payments',
  'update-cart-payment': 'as the one before',
  'confirm-order': 'as the one before',
  'cancel-transaction': 'the manual gateway refuses it: tests/transactions',
  'create-customer-token': 'the customer must exist first: below',
  'get-access-token': 'it needs an application key: tests/docs.test.ts',
  'create-account-member-tokens': 'the member must exist first: tests/accounts',
  'create-flow-entry-relationship': 'its field must exist first: tests/flows',
  'update-flow-entry-relationship': 'as the one before',
  'delete-flow-entry-relationship': 'as the one before',
  'anonymize-orders': 'the order must exist first: tests/orders',
  'anonymize-promotion-usages': 'the usage must exist first: tests/promotion-codes',
  'anonymize-rule-promotion-usages': 'as the one before',
  'associate-cart-with-account': 'the account must exist first: tests/carts',
  'associate-cart-with-customer': 'as the one before',
  'hear-stripe': 'Stripe signs it: tests/transactions',
}

/** The parameters and the bodies of all operations that have an example. */
const examples = operations.flatMap((operation) => {
  if (tried[operation.id]) return []
  const { parameters, requestBody } = documented.get(operation.id)
  const query = parameters
    .map(resolved)
    .filter((one: Node) => one.in === 'query' && one.example !== undefined)
    .map((one: Node) => ({
      operation,
      of: one.name,
      query: [one.name, String(one.example)],
      body: undefined,
    }))
  const body = requestBody?.content['application/json']?.example
  return [...query, ...(body === undefined ? [] : [{ operation, of: 'the body', query: [], body }])]
})

/** What stands in an example for the ids and the texts of a store, which no example knows. */
const placeholders = ['00000000-0000-4000-8000-000000000000', 'Example']

/** An example with the values of a valid body in these places. */
function withIds(example: Node, valid: Node): Node {
  if (placeholders.includes(example)) return typeof valid === 'string' ? valid : example
  if (typeof example !== 'object' || example === null) return example
  if (Array.isArray(example))
    return example.map((one, i) => withIds(one, Array.isArray(valid) ? valid[i] : valid))
  const members = Object.entries(example).map(([name, one]) => [name, withIds(one, valid?.[name])])
  return Object.fromEntries(members)
}

test('the API document has examples of filters and bodies', () => {
  expect(examples.filter(({ of }) => of === 'filter').length).toBeGreaterThan(50)
  // A form with a file has none: no text stands for a file.
  const without = [...documented.values()].filter(({ requestBody }) =>
    Object.entries<Node>(requestBody?.content ?? {}).some(
      ([type, { example }]) => example === undefined && !/^multipart|^\*/.test(type),
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
      const sent = body === undefined ? call.body : withIds(body, call.body)
      const { status, body: answer } = await client.send(operation.method, url.pathname + url.search, {
        ...(sent !== undefined && { body: JSON.stringify(sent) }),
      })
      expect([status, answer?.errors]).toEqual([expect.toBeOneOf([200, 201, 202, 204]), undefined])
      // It would choose a catalog of which nothing is published.
      if (operation.id === 'create-catalog-rule') await client.delete(`${call.path}/${answer.data.id}`)
    })
  },
)

test('the example of a sign-in is accepted if the customer exists', async () => {
  const { example } = documented.get('create-customer-token').requestBody.content['application/json']
  const { email, password } = example.data
  await world.admin.post('/v2/customers', { data: { type: 'customer', name: 'Ada Marsh', email, password } })
  expect((await world.shopper.post('/v2/customers/tokens', example)).status).toBe(200)
})
