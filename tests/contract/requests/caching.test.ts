import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import type { Operation } from '../../../server/kernel/declare/operation.ts'
import { makeFlow } from '../../builders/fields/flows.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const headersOf = ({ headers }: Pick<Reply, 'headers'>, ...names: string[]) =>
  names.map((name) => headers.get(name))
const [kept, notKept] = ['private, no-cache', 'no-store']

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const document: Node = sutlerApi(appAndWorkshop.modules, appAndWorkshop.access)
const documented = new Map<string, Node>(
  Object.values<Node>(document.paths).flatMap((path) =>
    Object.values<Node>(path).map((operation) => [operation.operationId, operation] as const),
  ),
)

/** The headers of a request that change the response, as the API document names them. */
function namesInDocument({ id }: Operation): readonly string[] {
  const { parameters } = documented.get(id)
  const own = parameters.filter((one: Node) => one.in === 'header').map(({ name }: Node) => name)
  const schemes = Object.values<Node>(document.components.securitySchemes)
  const tokens = schemes.filter((one) => one.in === 'header').map(({ name }) => name)
  return [...own, ...tokens, 'Authorization', 'Accept', 'Origin']
}

/** What anonymous shoppers read is personal to nobody. */
const isForAnyone = ({ area }: Operation): boolean =>
  'implicit' in ((appAndWorkshop.access as Record<string, object>)[area] ?? {})

const keptBy: string[] = []
const reads = operations.filter(({ access }) => access === 'read')

describe.each(reads)('the response of $id', (operation) => {
  test('says who may keep it', async () => {
    const { method } = operation
    const { path, body } = await samples.call(operation)
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await world.admin.send(method, path, init)
    const tag = reply.headers.get('etag')
    // What no sample succeeds in, such as the file of a job that runs, is refused: see below.
    const isAnswer = method === 'GET' && reply.status === 200
    const isKept = isAnswer && (tag !== null || isForAnyone(operation))
    expect(headersOf(reply, 'cache-control', 'x-content-type-options')).toEqual([
      isKept ? kept : notKept,
      'nosniff',
    ])
    if (isKept) keptBy.push(operation.id)
    if (!isKept) return
    const varies = (reply.headers.get('vary') ?? '').toLowerCase().split(', ')
    expect(varies).toEqual(
      expect.arrayContaining(namesInDocument(operation).map((name) => name.toLowerCase())),
    )
    if (!tag) return
    const again = await world.admin.send(method, path, { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(304)
    expect(headersOf(again, 'cache-control', 'vary', 'etag')).toEqual([
      ...headersOf(reply, 'cache-control', 'vary'),
      tag,
    ])
  })
})

test('shoppers may keep what they read of a catalog, and their cart', () => {
  const ids = [
    'list-catalog-products',
    'get-catalog-product',
    'list-catalog-hierarchies',
    'get-cart',
    'list-cart-items',
  ]
  expect(keptBy).toEqual(expect.arrayContaining(ids))
  expect(keptBy).not.toContain('list-accounts')
})

test('a page that is made while it is sent is kept as a short one, and its export is not', async () => {
  const flow = await makeFlow(world.admin, 'letters', { text: { field_type: 'string' } })
  for (let n = 0; n < 10; n++) {
    const { status } = await world.admin.post(flow.entries, {
      data: { type: 'entry', text: 'x'.repeat(60_000) },
    })
    expect(status).toBe(201)
  }
  const page = await world.admin.get(flow.entries)
  expect(page.body.data).toHaveLength(10)
  expect(headersOf(page, 'content-length', 'cache-control')).toEqual([null, kept])
  const oneLine = `${flow.entries}?filter=eq(id,${page.body.data[0].id})`
  const lines = await world.admin.get(oneLine, { accept: 'application/x-ndjson' })
  expect(headersOf(lines, 'content-type', 'cache-control')).toEqual(['application/x-ndjson', notKept])
})

test.each(operations)('a refusal of $id may not be kept', async ({ method, path }) => {
  const refused = await world.nobody.send(method, path)
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(headersOf(refused, 'cache-control', 'x-content-type-options')).toEqual([notKept, 'nosniff'])
})

const places: readonly (readonly [of: string, method: string, path: string, status: number])[] = [
  ['at an unknown address', 'GET', '/v2/no-such-thing', 404],
  ['at an address that is not UTF-8', 'GET', '/v2/%ff', 400],
  ['of another method', 'PATCH', '/v2/accounts', 405],
  ['to a monitoring tool', 'GET', '/readyz', 200],
]

test.each(places)('an answer %s may not be kept', async (_of, method, path, status) => {
  const reply = await world.nobody.send(method, path)
  expect(reply.status).toBe(status)
  expect(headersOf(reply, 'cache-control', 'x-content-type-options')).toEqual([notKept, 'nosniff'])
})

test.each([{}, { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }])(
  'an answer to OPTIONS with %j has the headers of every answer',
  async (headers) => {
    const reply = await fetch(`${world.url}/v2/carts/mine`, { method: 'OPTIONS', headers })
    expect(headersOf(reply, 'cache-control', 'x-content-type-options')).toEqual([notKept, 'nosniff'])
    expect(reply.headers.get('x-request-id')).toMatch(/./)
  },
)

test('a created object and a token may not be kept', async () => {
  const created = await world.admin.post('/v2/accounts', {
    data: { type: 'account', name: 'Bakery', legal_name: 'Bakery' },
  })
  const { id, secret } = world.key
  const token = await world.nobody.send('POST', '/oauth/access_token', {
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...{ client_id: id, client_secret: secret },
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect([created.status, token.status]).toEqual([201, 200])
  for (const reply of [created, token])
    expect(headersOf(reply, 'cache-control', 'x-content-type-options')).toEqual([notKept, 'nosniff'])
})

test.each(['/openapi.json', '/docs/', '/docs/js/scalar.js'])('%s has a tag', async (path) => {
  const read = (headers: Record<string, string> = {}) => fetch(world.url + path, { headers })
  const first = await read()
  const tag = first.headers.get('etag') ?? ''
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  const again = await read({ 'if-none-match': tag })
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
  const other = await read({ 'if-none-match': 'W/"other"' })
  expect([other.status, (await other.text()).length]).toEqual([200, (await first.text()).length])
})
