import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  about,
  erasureRequests,
  join,
  logs,
  makeAccount,
  makeCustomer,
  makeMember,
  related,
} from '../builders/personal-data/people.ts'
import { body } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const logsOf = async (type: string, id: string, more = '') =>
  (await world.admin.get(`${logs}${about(type, id)}${more}`)).body

describe.each([logs, related, erasureRequests])('%s', (list) => {
  const id = randomUUID()
  test.each([
    '',
    'eq(resource_type,customer)',
    `eq(resource_id,${id})`,
    `eq(resource_type,customer)|eq(resource_id,${id})`,
    `eq(resource_type,customer):like(resource_id,${id})`,
    `eq(resource_type,customer):eq(resource_type,account)`,
    `eq(resource_type,customer):eq(resource_id,${id}):eq(id,${id})`,
    `eq(resource_type,customer):(eq(resource_id,${id})|eq(resource_id,${id}))`,
    'eq(resource_type,customer):eq(resource_id,x)',
    `eq(resource_type,basket):eq(resource_id,${id})`,
    `eq(resource_type,`,
  ])('refuses the filter %j', async (filter) => {
    const query = filter && `?filter=${encodeURIComponent(filter)}`
    const { status, body } = await world.admin.get(list + query)
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, 'bad_filter', 'filter'])
  })

  test('has the envelope of a list, and is empty for an unknown object', async () => {
    const reply = await world.admin.get(`${list}${about('customer', id)}`)
    expect(reply.status).toBe(200)
    const { data, meta, links } = reply.body
    expect({ data, meta }).toEqual({
      data: [],
      meta: { page: { limit: 25, offset: 0, current: 1, total: 0 }, results: { total: 0 } },
    })
    expect((await world.admin.get(links.first)).status).toBe(200)
    expect((await world.admin.get(`${list}${about('customer', id)}&sort=time`)).status).toBe(400)
    expect((await world.shopper.get(`${list}${about('customer', id)}`)).status).toBe(403)
  })
})

test('each change has its author, its time and the changed fields', async () => {
  const { customer } = await makeCustomer(world.admin, 'ada')
  await world.admin.put(customer.path, body('customer', { name: 'Ada Marsh', external_ref: 'crm-7' }))
  await world.admin.put(customer.path, body('customer', { password: 'eleven horses' }))
  await world.admin.put(customer.path, body('customer', { password: 'twelve horses' }))
  await world.admin.delete(customer.path)
  const { data, meta } = await logsOf('customer', customer.id)
  expect(meta.results.total).toBe(5)
  const keys = await world.admin.get('/v2/application-keys')
  for (const entry of data) {
    expect(entry).toMatchObject({
      type: 'personal_data_log_entry',
      store_id: world.storeId,
      resource_type: 'customer',
      resource_id: customer.id,
      initiator: {
        'access-token-id': keys.body.data[0].id,
        'access-token-name': keys.body.data[0].name,
        'access-token-store-id': world.storeId,
        'access-token-type': 'client-credentials-token',
      },
      relationships: { resource_path: { url: world.url + customer.path } },
    })
    expect(entry.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  expect(data.map(({ event_type, delta }: never) => [event_type, delta])).toEqual([
    ['customer.event.deleted', {}],
    ['customer.event.updated', {}],
    ['customer.event.updated', { password: true }],
    ['customer.event.updated', { name: 'Ada Marsh', external_ref: 'crm-7' }],
    [
      'customer.event.created',
      expect.objectContaining({ id: customer.id, type: 'customer', name: 'ada', email: 'ada@example.com' }),
    ],
  ])
  expect(JSON.stringify(data)).not.toContain('horses')
  expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(5)
})

test('the log of each kind of object has the path of the object', async () => {
  const { customer, address: home } = await makeCustomer(world.admin, 'berta')
  const { account, address } = await makeAccount(world.admin, 'Bakery')
  const { user, oidc, password } = await makeMember(world.admin, 'clara')
  const membership = await join(world.admin, account, user.id)
  const cases: [type: string, { id: string; path: string }][] = [
    ['customer', customer],
    ['address', home],
    ['account', account],
    ['address', address],
    ['account-membership', membership],
    ['account-member', { id: user.id, path: `/v2/account-members/${user.id}` }],
    ['user-authentication-info', user],
    ['user-authentication-oidc-profile-info', oidc],
    ['user-authentication-password-profile-info', password],
  ]
  for (const [type, { id, path }] of cases) {
    const { data } = await logsOf(type, id)
    const entry = data.at(-1)
    expect(entry).toMatchObject({ resource_type: type, event_type: `${type}.event.created` })
    expect([type, entry.relationships.resource_path.url]).toEqual([type, world.url + path])
    expect((await logsOf(type.replaceAll('-', '_'), id)).data.at(-1)).toEqual(entry)
    expect((await world.admin.get(entry.relationships.resource_path.url)).status).toBe(200)
    expect((await world.other.get(`${logs}${about(type, id)}`)).body.data).toEqual([])
  }
  expect((await logsOf('account', customer.id)).data).toEqual([])
  expect((await logsOf('user-authentication-info', account.id)).data).toEqual([])
})

test('only users of the account realm are account members', async () => {
  const { body: realms } = await world.admin.get('/v2/authentication-realms')
  const realm = realms.data.find((one: { relationships: { origin: { data: { type: string } } } }) =>
    one.relationships.origin.data.type.startsWith('customer'),
  )
  const users = `/v2/authentication-realms/${realm.id}/user-authentication-info`
  const user = await world.admin.post(
    users,
    body('user_authentication_info', { name: 'Dora', email: 'dora@example.com' }),
  )
  const { id } = user.body.data
  expect((await logsOf('user-authentication-info', id)).data).toHaveLength(1)
  expect((await logsOf('account-member', id)).data).toEqual([])
})

test('each page of a long log has the right entries and an exact total', async () => {
  const { customer } = await makeCustomer(world.admin, 'edith')
  const { customer: other } = await makeCustomer(world.admin, 'fanny')
  await world.sql(
    `INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
     SELECT $1, now() + (i / 3) * interval '1 ms', 'updated', 'customer', 'customers', id, true, 'system', '', json_build_object('name', 'Name ' || i)
     FROM generate_series(1, 450) i, unnest($2::uuid[]) id ORDER BY i`,
    [world.storeId, [customer.id, other.id]],
  )
  const names = Array.from({ length: 450 }, (_, i) => `Name ${450 - i}`)
  for (const offset of [0, 100, 300, 440]) {
    const { data, meta } = await logsOf('customer', customer.id, `&page[limit]=20&page[offset]=${offset}`)
    expect(meta.results.total).toBe(451)
    expect(data.slice(0, 10).map(({ delta }: { delta: { name: string } }) => delta.name)).toEqual(
      names.slice(offset, offset + 10),
    )
    for (const { id } of data) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8000-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  }
  const met: string[] = []
  for (let at = `${logs}${about('customer', customer.id)}&page[limit]=70`; at; ) {
    const { body } = await world.admin.get(at)
    met.push(...body.data.map(({ id }: { id: string }) => id))
    at = body.links.next
  }
  expect([met.length, new Set(met).size]).toEqual([451, 451])
})

test('each object of a set has the others as related entries', async () => {
  const { customer, address: home } = await makeCustomer(world.admin, 'gerda')
  const { account, address } = await makeAccount(world.admin, 'Company')
  const { user, oidc, password } = await makeMember(world.admin, 'hilda')
  const membership = await join(world.admin, account, user.id)
  // An account with the same name that an administrator created for nobody in particular.
  const namesake = await makeAccount(world.admin, 'hilda')
  const guest = await join(world.admin, namesake.account, user.id)
  const person = {
    'user-authentication-info': [user.id],
    'account-member': [user.id],
    'user-authentication-oidc-profile-info': [oidc.id],
    'user-authentication-password-profile-info': [password.id],
    'account-membership': [membership.id, guest.id],
  }
  const company = { account: [account.id], address: [address.id], 'account-membership': [membership.id] }
  const cases: [type: string, id: string, set: Record<string, string[]>][] = [
    ['customer', customer.id, { customer: [customer.id], address: [home.id] }],
    ['address', home.id, { customer: [customer.id], address: [home.id] }],
    ['account', account.id, company],
    ['address', address.id, company],
    ['account-member', user.id, person],
    ['user-authentication-info', user.id, person],
    ['user-authentication-oidc-profile-info', oidc.id, person],
    ['user-authentication-password-profile-info', password.id, person],
    ['account-membership', membership.id, person],
  ]
  for (const [type, id, set] of cases) {
    const { body } = await world.admin.get(`${related}${about(type, id)}`)
    const entries = body.data.map(
      ({ resource_type, resource_id }: never) => `${resource_type} ${resource_id}`,
    )
    const expected = Object.entries(set).flatMap(([kind, ids]) => ids.map((one) => `${kind} ${one}`))
    expect([...entries, `${type} ${id}`].sort()).toEqual(expected.sort())
    expect(body.meta.results.total).toBe(entries.length)
    expect(body.data[0].type).toBe('related_data_entry')
    expect((await world.other.get(`${related}${about(type, id)}`)).body.data).toEqual([])
  }
})
