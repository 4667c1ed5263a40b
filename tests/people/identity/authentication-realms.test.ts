import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realmsOf } from '../../builders/people/realms.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realms: Awaited<ReturnType<typeof realmsOf>>
beforeAll(async () => {
  world = await openWorld()
  realms = await realmsOf(world.admin)
})
afterAll(() => world.close())

const realm = (fields: object) => body('authentication-realm', fields)

test('a store has three realms from its start, and other stores have others', async () => {
  const { body } = await world.admin.get('/v2/authentication-realms')
  expect(body.meta.results.total).toBe(3)
  expect(body.data.map(({ name }: { name: string }) => name).sort()).toEqual([
    'Account Management Realm',
    'Buyer Organization',
    'Merchant Organization',
  ])
  const others = await realmsOf(world.other)
  expect(Object.values(others).filter((id) => Object.values(realms).includes(id))).toEqual([])
  expect((await world.other.get(`/v2/authentication-realms/${realms.accounts}`)).status).toBe(404)
})

test('shows a realm with flat times, and its link beside it', async () => {
  const { status, body } = await world.admin.get(`/v2/authentication-realms/${realms.customers}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      id: realms.customers,
      type: 'authentication-realm',
      name: 'Buyer Organization',
      redirect_uris: [],
      duplicate_email_policy: 'allowed',
      relationships: { origin: { data: { id: world.storeId, type: 'customer-authentication-settings' } } },
      meta: {
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    },
    links: { self: `${world.url}/v2/authentication-realms/${realms.customers}` },
  })
})

describe('an update', () => {
  const uris = (...redirect_uris: unknown[]) => realm({ redirect_uris })
  const good = ['https://shop.example.com', 'https://shop.example.com/in?a=b', 'http://localhost:3000/in']
  const cases: [shows: string, body: object, status: number, answer: object][] = [
    [
      'changes only the name',
      realm({ name: 'Shoppers' }),
      200,
      { data: { name: 'Shoppers', redirect_uris: [] } },
    ],
    ['sets the redirect URIs', uris(...good), 200, { data: { name: 'Shoppers', redirect_uris: good } }],
    ['accepts localhost without a port', uris('http://localhost'), 200, {}],
    [
      'leaves the origin unchanged',
      realm({ relationships: {} }),
      200,
      { data: { relationships: { origin: {} } } },
    ],
    ['accepts a policy', realm({ duplicate_email_policy: 'api_only' }), 200, {}],
    ['accepts the third policy', realm({ duplicate_email_policy: 'disallowed' }), 200, {}],
    [
      'refuses an unknown policy',
      realm({ duplicate_email_policy: 'x' }),
      400,
      source('data.duplicate_email_policy'),
    ],
    ['refuses http elsewhere', uris('http://shop.example.com'), 400, source('data.redirect_uris.0')],
    ['refuses a fragment', uris(good[0], 'https://a.example/#b'), 400, source('data.redirect_uris.1')],
    [
      'refuses a user name that looks like a host',
      uris('http://localhost:80@evil.example'),
      400,
      source('data.redirect_uris.0'),
    ],
    ['refuses other schemes', uris('javascript:alert(1)'), 400, source('data.redirect_uris.0')],
    ['refuses a text that is not a URI', uris('shop'), 400, source('data.redirect_uris.0')],
    ['refuses an empty name', realm({ name: '' }), 400, source('data.name')],
    ['refuses a wrong type', body('realm', {}), 400, source('data.type')],
  ]
  test.each(cases)('%s', async (_shows, sent, status, answer) => {
    const reply = await world.admin.put(`/v2/authentication-realms/${realms.customers}`, sent)
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body).toMatchObject(answer)
  })
})

test('realms can be neither added nor deleted', async () => {
  expect((await world.admin.post('/v2/authentication-realms', realm({ name: 'Fourth' }))).status).toBe(405)
  expect((await world.admin.delete(`/v2/authentication-realms/${realms.customers}`)).status).toBe(405)
})

describe('an anonymous shopper', () => {
  const cases: [method: 'get' | 'put', path: () => string, status: number][] = [
    ['get', () => '/v2/authentication-realms', 200],
    ['get', () => `/v2/authentication-realms/${realms.accounts}`, 200],
    ['put', () => `/v2/authentication-realms/${realms.accounts}`, 403],
    ['get', () => `/v2/authentication-realms/${realms.accounts}/oidc-profiles`, 200],
    ['get', () => `/v2/authentication-realms/${realms.accounts}/password-profiles`, 200],
    ['get', () => `/v2/authentication-realms/${realms.accounts}/user-authentication-info`, 403],
    ['get', () => '/v2/merchant-realm-mappings', 403],
    ['get', () => '/v2/settings/customer-authentication', 403],
  ]
  test.each(cases)('gets the right status from %s %s', async (method, path, status) => {
    expect((await world.shopper[method](path())).status).toBe(status)
  })
})

test('the settings of customers lead to their realm', async () => {
  const { status, body } = await world.admin.get('/v2/settings/customer-authentication')
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      id: world.storeId,
      type: 'customer-authentication-settings',
      meta: { client_id: 'customers' },
      relationships: {
        'authentication-realm': {
          data: {
            id: realms.customers,
            type: 'authentication-realm',
            links: { self: `${world.url}/v2/authentication-realms/${realms.customers}` },
          },
        },
      },
    },
  })
})

describe('the realm mapping of the merchants', () => {
  const mapping = (fields: object) => body('merchant-realm-mappings', fields)
  const own = async (client: World['admin']) =>
    (await client.get('/v2/merchant-realm-mappings')).body.data.id as string

  test('is one object, without a prefix at first', async () => {
    const { status, body } = await world.admin.get('/v2/merchant-realm-mappings')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        type: 'merchant-realm-mappings',
        prefix: null,
        realm_id: realms.merchants,
        store_id: world.storeId,
      },
    })
    expect((await world.admin.get(`/v2/merchant-realm-mappings/${body.data.id}`)).body).toEqual(body)
    const merchants = await world.admin.get(`/v2/authentication-realms/${realms.merchants}`)
    expect(merchants.body.data.relationships.origin.data.id).toBe(body.data.id)
  })

  test('accepts a prefix that no other store has', async () => {
    const at = `/v2/merchant-realm-mappings/${await own(world.admin)}`
    const elsewhere = `/v2/merchant-realm-mappings/${await own(world.other)}`
    const first = await world.admin.put(at, mapping({ prefix: 'riverside' }))
    expect([first.status, first.body.data.prefix]).toEqual([200, 'riverside'])
    expect((await world.admin.put(at, mapping({ prefix: 'riverside' }))).status).toBe(200)
    const second = await world.other.put(elsewhere, mapping({ prefix: 'Riverside' }))
    expect(second.status).toBe(409)
    expect(second.body.errors[0]).toMatchObject({ status: '409', detail: 'the prefix is already in use' })
    expect((await world.other.get('/v2/merchant-realm-mappings')).body.data.prefix).toBeNull()
  })

  test('requires a prefix, and is hidden from other stores', async () => {
    const at = `/v2/merchant-realm-mappings/${await own(world.admin)}`
    const refused = await world.admin.put(at, mapping({}))
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].detail).toContain(`The field 'prefix' is required`)
    const hidden = await world.other.put(at, mapping({ prefix: 'mine' }))
    expect(hidden.status).toBe(404)
    expect(hidden.body.errors[0].detail).toMatch(/^merchant realm mapping not found: /)
    expect((await world.admin.get('/v2/merchant-realm-mappings/1')).status).toBe(404)
  })
})

function source(source: string) {
  return { errors: [{ status: '400', source }] }
}
