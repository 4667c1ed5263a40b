import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../server/kernel/clock.ts'
import { password } from '../builders/people/accounts.ts'
import { profile as passwordsOf, person, settle, signedIn } from '../builders/people/members.ts'
import {
  about,
  addressOf,
  create,
  join,
  logs,
  makeAccount,
  makeCustomer,
  makeMember,
  newAdmin,
  readsOf,
  settled,
} from '../builders/personal-data/people.ts'
import { Samples, specimens } from '../builders/samples.ts'
import { body } from '../support/requests.ts'
import type { Specimen } from '../support/specimens.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

let world: World
let laterMs = 0
const clock = { now: () => new Date(systemClock.now().getTime() + laterMs) }
const msPerMinute = 60_000

let keyId: string
let support: { client: Client; id: string }
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '31536000' } })
  keyId = (await world.admin.get('/v2/application-keys')).body.data[0].id
  support = await newAdmin(world)
})
afterAll(() => world.close())

type Entry = { initiator: Record<string, string>; relationships: { resource_path: { url: string } } }
const initiatorsIn = (entries: readonly Entry[]) =>
  entries.map(({ initiator }) => initiator['access-token-id']).sort()

describe('a read of personal data is recorded', () => {
  test('for a caller with a key', async () => {
    const { customer, address } = await makeCustomer(world.admin, 'ada')
    const from = clock.now().toISOString()
    await support.client.get(customer.path)
    await support.client.get(`${customer.path}/addresses`)
    const until = clock.now().toISOString()
    await settled(world.admin)
    const [read, created, ...more] = (await world.admin.get(`${logs}${about('customer', customer.id)}`)).body
      .data
    expect(more).toEqual([])
    expect(read).toEqual({
      type: 'personal_data_log_entry',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8000-9[0-9a-f]{3}-[0-9a-f]{12}$/),
      store_id: world.storeId,
      initiator: {
        'access-token-id': support.id,
        'access-token-name': 'Support',
        'access-token-store-id': world.storeId,
        'access-token-type': 'client-credentials-token',
      },
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event_type: 'customer.event.read',
      delta: {},
      resource_id: customer.id,
      resource_type: 'customer',
      relationships: { resource_path: { url: world.url + customer.path } },
    })
    expect(read.time >= from && read.time <= until).toBe(true)
    expect(created.event_type).toBe('customer.event.created')
    const [listed, ...others] = await readsOf(world.admin, 'address', address.id)
    expect(others).toEqual([])
    expect(listed).toMatchObject({ initiator: read.initiator, delta: {} })
    expect(listed.relationships.resource_path.url).toBe(world.url + address.path)
  })

  test('for a customer who reads their own data', async () => {
    const email = 'berta@example.com'
    const customer = await create(world.admin, '/v2/customers', 'customer', {
      name: 'Berta',
      email,
      password,
    })
    const address = await create(world.admin, `${customer.path}/addresses`, 'address', addressOf('Berta'))
    const signIn = await world.shopper.post('/v2/customers/tokens', body('token', { email, password }))
    const me = { 'x-moltin-customer-token': signIn.body.data.token }
    expect((await world.shopper.get(customer.path, me)).status).toBe(200)
    expect((await world.shopper.get(`${customer.path}/addresses`, me)).body.data).toHaveLength(1)
    await settled(world.admin)
    const initiator = {
      'access-token-id': customer.id,
      'access-token-name': 'Berta',
      'access-token-email': email,
      'access-token-store-id': world.storeId,
      'access-token-type': 'customer-token',
    }
    for (const [type, { id, path }] of [
      ['customer', customer],
      ['address', address],
    ] as const) {
      const reads = await readsOf(world.admin, type, id)
      expect(reads.map((read: Entry) => [read.initiator, read.relationships.resource_path.url])).toEqual([
        [initiator, world.url + path],
      ])
    }
  })

  test('for an account member who reads their account', async () => {
    await settle(world, { account_management_authentication_token_timeout_secs: 31_536_000 })
    const who = await person(world, await passwordsOf(world.admin))
    const account = `/v2/accounts/${who.home}`
    const address = await create(world.admin, `${account}/addresses`, 'address', addressOf('Clara'))
    const me = await signedIn(world, who)
    await settled(world.admin)
    // Signing in shows the names of the member's accounts.
    expect(initiatorsIn(await readsOf(world.admin, 'account', who.home))).toEqual([who.id])

    laterMs += 61 * msPerMinute
    for (const path of [account, `${account}/addresses`, `/v2/account-members/${who.id}`, who.user]) {
      expect([path, (await world.shopper.get(path, me)).status]).toEqual([path, 200])
    }
    await settled(world.admin)
    const initiator = {
      'access-token-id': who.id,
      'access-token-name': 'Ada Byron',
      'access-token-email': 'ada@example.com',
      'access-token-store-id': world.storeId,
      'access-token-type': 'account-management-authentication-token',
    }
    for (const [type, id, path, count] of [
      ['account', who.home, account, 2],
      ['address', address.id, address.path, 1],
      ['account-member', who.id, `/v2/account-members/${who.id}`, 1],
      // The same object under another name.
      ['user-authentication-info', who.id, who.user, 1],
    ] as const) {
      const reads = await readsOf(world.admin, type, id)
      expect([type, reads.length]).toEqual([type, count])
      expect(reads[0].initiator).toEqual(initiator)
      expect(reads[0].relationships.resource_path.url).toBe(world.url + path)
    }
  })
})

const entryTypeOf = ({ resource }: Specimen) => resource.type.replaceAll('_', '-')
const personal = specimens.filter(({ resource }) => resource.personal)

test('reads of every object that holds personal data are recorded, alone and in lists', async () => {
  expect(personal.map(({ name }) => name).sort()).toEqual([
    'account',
    'account-address',
    'account-member',
    'account-membership',
    'account-membership-of-member',
    'cart',
    'colleague-invitation',
    'customer',
    'customer-address',
    'order',
    'promotion-code-usage',
    'promotion-usage',
    'rule-promotion-code-usage',
    'rule-promotion-usage',
    'user-authentication-info',
    'user-authentication-oidc-profile-info',
    'user-authentication-password-profile-info',
  ])
  const alone = await newAdmin(world)
  const samples = new Samples(world.admin, world.work)
  const read: [specimen: Specimen, id: string][] = []
  for (const specimen of personal) {
    const { id, path, collection } = await samples.make(specimen)
    if (specimen.operations.get) expect((await alone.client.get(path)).status).toBe(200)
    const listed = await support.client.get(collection)
    expect(listed.body.data.map((one: { id: string }) => one.id)).toContain(id)
    read.push([specimen, id])
  }
  await settled(world.admin)
  for (const [specimen, id] of read) {
    const reads = await readsOf(world.admin, entryTypeOf(specimen), id)
    const expected = specimen.operations.get ? [alone.id, support.id] : [support.id]
    // Some samples are read as they are made.
    const readers = initiatorsIn(reads).filter((reader) => reader !== keyId)
    expect(readers, `who read the ${specimen.name}`).toEqual(expected.sort())
    // Usages are in lists only.
    if (specimen.name.endsWith('usage')) continue
    for (const { relationships } of reads) {
      expect((await world.admin.get(relationships.resource_path.url)).body.data.id).toBe(id)
    }
  }
})

test('the log has the path of an object that the feed no longer has', async () => {
  const { customer, address } = await makeCustomer(world.admin, 'dora')
  const { user, oidc } = await makeMember(world.admin, 'dorian')
  for (const { path } of [address, oidc]) await world.admin.get(path)
  await settled(world.admin)
  await world.feed('DELETE FROM changes WHERE id = ANY($1)', [[customer.id, address.id, user.id, oidc.id]])
  for (const [type, { id, path }] of [
    ['address', address],
    ['user-authentication-oidc-profile-info', oidc],
  ] as const) {
    const [read] = await readsOf(world.admin, type, id)
    expect(read.relationships.resource_path.url).toBe(world.url + path)
  }
})

test('included objects, 304 responses, HEAD requests and actions are recorded as reads', async () => {
  const { account } = await makeAccount(world.admin, 'Eastern')
  const { user } = await makeMember(world.admin, 'edith')
  const { user: outsider } = await makeMember(world.admin, 'emil')
  const { user: member } = await makeMember(world.admin, 'eva')
  const { customer } = await makeCustomer(world.admin, 'erna')
  const { customer: other } = await makeCustomer(world.admin, 'ella')
  const membership = await join(world.admin, account, user.id)
  await join(world.admin, account, member.id)
  const reader = await newAdmin(world)
  const { etag } = Object.fromEntries((await world.admin.get(customer.path)).headers)
  const memberships = `${account.path}/account-memberships`
  const steps: [method: string, path: string, status: number, read: [string, { id: string }][]][] = [
    ['GET', customer.path, 304, [['customer', customer]]],
    ['HEAD', other.path, 200, [['customer', other]]],
    ['GET', `${account.path}/relationships/account-tags`, 200, [['account', account]]],
    // It changes nothing, but its response shows the member.
    ['PUT', `/v2/account-members/${member.id}`, 200, [['account-member', member]]],
    [
      'GET',
      `${memberships}/unassigned-account-members?sort=-created_at`,
      200,
      [['account-member', outsider]],
    ],
    [
      'GET',
      `${memberships}/${membership.id}?include=account_member`,
      200,
      [
        ['account-membership', membership],
        ['account-member', user],
      ],
    ],
  ]
  for (const [method, path, status] of steps) {
    const reply = await reader.client.send(method, path, {
      headers: { 'if-none-match': etag ?? '' },
      ...(method === 'PUT' && { body: JSON.stringify(body('account_member')) }),
    })
    expect([path, reply.status]).toEqual([path, status])
  }
  await settled(world.admin)
  for (const [type, { id }] of steps.flatMap(([, , , read]) => read)) {
    const readers = initiatorsIn(await readsOf(world.admin, type, id)).filter((one) => one === reader.id)
    expect([type, readers]).toEqual([type, [reader.id]])
  }
})

test('refused requests and responses without the object are not reads', async () => {
  const { customer, address } = await makeCustomer(world.admin, 'frida')
  const fields = { name: 'Fanny', email: 'fanny@example.com', password }
  await create(world.admin, '/v2/customers', 'customer', fields)
  const signIn = await world.shopper.post('/v2/customers/tokens', body('token', fields))
  const fanny = { 'x-moltin-customer-token': signIn.body.data.token }
  const statuses = [
    await world.nobody.get(customer.path),
    await world.shopper.get(customer.path),
    await world.shopper.get(customer.path, fanny),
    await world.shopper.get(address.path, fanny),
    await world.other.get(customer.path),
    await world.admin.get(`${customer.path}/addresses?filter=eq(nothing,1)`),
    await world.admin.get('/v2/customers?page[limit]=0'),
    await world.shopper.get('/v2/customers', fanny),
  ].map(({ status }) => status)
  expect(statuses).toEqual([401, 403, 404, 404, 404, 400, 200, 200])
  await settled(world.admin)
  expect(await readsOf(world.admin, 'customer', customer.id)).toEqual([])
  expect(await readsOf(world.admin, 'address', address.id)).toEqual([])
})

test('a repeated read is recorded once an hour', async () => {
  const { customer } = await makeCustomer(world.admin, 'gerda')
  const times: string[] = []
  const readersAfter = async (minutes: number, ...readers: Client[]) => {
    laterMs += minutes * msPerMinute
    times.push(clock.now().toISOString())
    for (const reader of readers) await reader.get(customer.path)
    await world.admin.get('/v2/customers')
    await settled(world.admin)
    const reads = await readsOf(world.admin, 'customer', customer.id)
    return [reads.length, initiatorsIn(reads).filter((id) => id === support.id).length]
  }
  expect(await readersAfter(0, world.admin, world.admin)).toEqual([1, 0])
  expect(await readersAfter(30, world.admin, support.client)).toEqual([2, 1])
  expect(await readersAfter(29, world.admin, support.client)).toEqual([2, 1])
  expect(await readersAfter(2, world.admin, support.client)).toEqual([3, 1])
  expect(await readersAfter(30, world.admin, support.client)).toEqual([4, 2])
  const [newest] = await readsOf(world.admin, 'customer', customer.id)
  expect(newest.time >= (times.at(-1) as string)).toBe(true)
})

test('a read of a full page is recorded for each object', async () => {
  await world.sql(
    `INSERT INTO customers (store_id, id, created_at, updated_at, doc)
     SELECT $1, gen_random_uuid(), $2::timestamptz + i * interval '1 ms', $2, json_build_object('name', 'H', 'email', 'h' || i || '@example.com')
     FROM generate_series(1, 2350) i`,
    [world.storeId, clock.now()],
  )
  const reader = await newAdmin(world)
  const pages = Array.from({ length: 24 }, (_, i) => `/v2/customers?page[limit]=100&page[offset]=${i * 100}`)
  const shown = (await Promise.all(pages.map((page) => reader.client.get(page)))).flatMap(({ body }) =>
    body.data.map(({ id }: { id: string }) => id),
  )
  expect(new Set(shown).size).toBe((await world.admin.get('/v2/customers')).body.meta.results.total)
  expect(shown.length).toBeGreaterThan(2350)
  await settled(world.admin)
  const { rows } = await world.sql('SELECT id FROM personal_data_reads WHERE actor = $1', [reader.id])
  expect(rows.map(({ id }) => id).sort()).toEqual(shown.sort())
})

test('a walk over the log finds each read and each change once, the newest first', async () => {
  const { customer } = await makeCustomer(world.admin, 'ida')
  const { customer: other } = await makeCustomer(world.admin, 'irma')
  const expected = ['created']
  for (let round = 0; round < 12; round++) {
    laterMs += 61 * msPerMinute
    await world.admin.get(customer.path)
    await support.client.get(customer.path)
    await world.admin.get(other.path)
    // Each entry gets a time of its own: reads are recorded with milliseconds.
    laterMs += 1000
    await world.admin.put(customer.path, body('customer', { name: `Ida ${round}` }))
    expected.unshift('updated', 'read', 'read')
  }
  await settled(world.admin)
  for (const start of ['page[limit]=7', 'page[limit]=7&page[after]=']) {
    const met: { id: string; time: string; event_type: string }[] = []
    for (let at = `${logs}${about('customer', customer.id)}&${start}`; at; ) {
      const { body } = await world.admin.get(at)
      expect(body.meta.results.total).toBe(37)
      met.push(...body.data)
      at = body.links.next
    }
    expect(met.map(({ event_type }) => event_type.split('.').at(-1))).toEqual(expected)
    expect(new Set(met.map(({ id }) => id)).size).toBe(37)
    expect(met.map(({ time }) => time)).toEqual(
      met
        .map(({ time }) => time)
        .sort()
        .reverse(),
    )
  }
  const names = (await world.admin.get(`${logs}${about('customer', customer.id)}&page[limit]=4`)).body.data
  expect(names.map(({ delta }: { delta: object }) => delta)).toEqual([
    { name: 'Ida 11' },
    {},
    {},
    { name: 'Ida 10' },
  ])
})

test('a deep page of the log has reads and changes in the order of their times', async () => {
  const { customer } = await makeCustomer(world.admin, 'jana')
  await world.sql(
    `WITH updated AS (
       INSERT INTO fresh_changes (store_id, at, event, type, source, id, personal, actor, request_id, doc)
       SELECT $1, $3::timestamptz + i * interval '2 ms', 'updated', 'customer', 'customers', $2, true, 'system', '', json_build_object('name', i)
       FROM generate_series(1, 800) i)
     INSERT INTO personal_data_reads (store_id, at, source, id, actor)
     SELECT $1, $3::timestamptz + i * interval '2 ms' + interval '1 ms', 'customers', $2, 'system'
     FROM generate_series(1, 800) i`,
    [world.storeId, customer.id, clock.now()],
  )
  for (const offset of [0, 300, 1500]) {
    const { data, meta } = (
      await world.admin.get(`${logs}${about('customer', customer.id)}&page[limit]=4&page[offset]=${offset}`)
    ).body
    expect(meta.results.total).toBe(1601)
    const name = 800 - offset / 2
    expect(data.map(({ delta }: { delta: object }) => delta)).toEqual([{}, { name }, {}, { name: name - 1 }])
  }
})
