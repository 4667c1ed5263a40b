import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { customers } from '../../server/people/customers/customers.ts'
import { realmsOf } from '../builders/people/realms.ts'
import {
  about,
  addressOf,
  create,
  erase,
  erasureRequests,
  join,
  logs,
  makeAccount,
  makeCustomer,
  makeMember,
  placesOf,
  related,
} from '../builders/personal-data/people.ts'
import { body } from '../support/requests.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const expectGone = async (...paths: string[]) => {
  for (const path of paths) expect([path, (await world.admin.get(path)).status]).toEqual([path, 404])
}

test('a request is accepted at once, and listed for its object', async () => {
  const { customer } = await makeCustomer(world.admin, 'ada')
  const subject = { resource_type: 'customer', resource_id: customer.id.toUpperCase() }
  const { status, body: answer } = await world.admin.post(erasureRequests, body('erasure_request', subject))
  expect(status).toBe(201)
  expect(answer.data).toMatchObject({
    type: 'erasure_request',
    resource_type: 'customer',
    resource_id: customer.id,
    initiator: { 'access-token-name': 'First key', 'access-token-store-id': world.storeId },
    status: 'CREATED',
    links: { self: `${world.url}${erasureRequests}/${answer.data.id}` },
  })
  expect(answer.data.created_at).toBe(answer.data.updated_at)
  const again = await erase(world.admin, 'customer', customer.id)
  expect(again).toMatchObject({ status: 'SUCCESS', resource_id: customer.id })
  expect(again.updated_at > again.created_at).toBe(true)
  const list = await world.admin.get(`${erasureRequests}${about('customer', customer.id)}`)
  expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([again.id, answer.data.id])
  expect((await world.other.get(`${erasureRequests}${about('customer', customer.id)}`)).body.data).toEqual([])
  expect((await world.other.get(`${erasureRequests}/${again.id}`)).status).toBe(404)
})

test.each([
  [{ resource_id: randomUUID() }, 'data.resource_type'],
  [{ resource_type: 'customer' }, 'data.resource_id'],
  [{ resource_type: 'basket', resource_id: randomUUID() }, 'data.resource_type'],
  [{ resource_type: 'customer', resource_id: 'x' }, 'data.resource_id'],
])('refuses %j', async (fields, source) => {
  const reply = await world.admin.post(erasureRequests, body('erasure_request', fields))
  expect([reply.status, reply.body.errors[0].source]).toEqual([400, source])
})

test('an erased customer leaves no trace in the database', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const fields = { name, email: `${name}@example.com`, password: 'eleven horses' }
  const headers = { 'idempotency-key': 'a customer, once' }
  const customerBody = body('customer', fields)
  const customer = `/v2/customers/${(await world.admin.post('/v2/customers', customerBody, headers)).body.data.id}`
  const addresses = `${customer}/addresses`
  const address = {
    first_name: name,
    last_name: name,
    line_1: name,
    county: 'x',
    postcode: 'x',
    country: 'GB',
  }
  const ownAddress = await create(world.admin, addresses, 'address', address)
  const deleted = await create(world.admin, addresses, 'address', address)
  await world.admin.delete(deleted.path)
  await world.admin.put(ownAddress.path, body('address', { ...address, instructions: `for ${name}` }))
  await world.admin.post('/v2/customers/tokens', body('token', fields), {
    'idempotency-key': 'a token, once',
  })
  expect((await placesOf(world, name)).length).toBeGreaterThan(4)

  expect(await erase(world.admin, 'address', ownAddress.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await placesOf(world, name)).toEqual([])
  await expectGone(customer, ownAddress.path)
  const again = await world.admin.post('/v2/customers', customerBody, headers)
  expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', {}])
  const log = await world.admin.get(`${logs}${about('customer', customer.split('/')[3] as string)}`)
  expect(log.body.data.map(({ event_type, delta }: never) => [event_type, delta])).toEqual([
    ['customer.event.deleted', {}],
  ])
})

test('an erased account member leaves no trace in the database, and others stay', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  await world.admin.put(
    '/v2/settings/account-authentication',
    body('account_authentication_settings', { auto_create_account_for_account_members: true }),
  )
  const { user, oidc, password, oneTimePassword } = await makeMember(world.admin, name)
  const passwordRequest = { username: `${name}@example.com`, purpose: 'reset_password' }
  await world.admin.post(oneTimePassword, body('one_time_password_token_request', passwordRequest))
  const events = () =>
    world.feed(`SELECT 1 FROM changes WHERE type = 'one-time-password-token-request' AND doc::text LIKE $1`, [
      `%${name}%`,
    ])
  await expect.poll(async () => (await events()).rowCount, { timeout: 10_000 }).toBe(1)
  await world.admin.put(
    '/v2/settings/account-authentication',
    body('account_authentication_settings', { auto_create_account_for_account_members: false }),
  )
  const { body: own } = await world.admin.get(`/v2/account-members/${user.id}/account-memberships`)
  const ownAccount = `/v2/accounts/${own.data[0].relationships.account.data.id}`
  const address = {
    first_name: name,
    last_name: name,
    line_1: name,
    county: 'x',
    postcode: 'x',
    country: 'GB',
  }
  await create(world.admin, `${ownAccount}/addresses`, 'address', address)
  // After a colleague joined the renamed account it is not the member's own, but its log still had the name.
  const former = await makeAccount(world.admin, `former-${name}`)
  await world.admin.put(former.account.path, body('account', { name, legal_name: null }))
  await join(world.admin, former.account, user.id)
  await world.admin.put(former.account.path, body('account', { name: 'Bakery' }))
  await world.admin.delete(former.address.path)
  const { account } = await makeAccount(world.admin, 'Company')
  const colleague = await makeMember(world.admin, 'colleague')
  await join(world.admin, account, user.id)
  await join(world.admin, account, colleague.user.id)

  expect(await erase(world.admin, 'user-authentication-oidc-profile-info', oidc.id)).toMatchObject({
    status: 'SUCCESS',
  })
  await expectGone(user.path, oidc.path, password.path, ownAccount, `/v2/account-members/${user.id}`)
  // The log of a company's account has the name of the company.
  const places = await world.feed('SELECT type, doc FROM changes WHERE strpos(doc::text, $1) > 0', [name])
  expect(places.rows.every(({ doc }) => doc.name === `former-${name}` || doc.line_1)).toBe(true)
  await world.feed('DELETE FROM changes WHERE id = ANY($1)', [[former.account.id, former.address.id]])
  expect(await placesOf(world, name)).toEqual([])
  const { body: members } = await world.admin.get(`${account.path}/account-memberships`)
  expect(members.data).toHaveLength(1)
  expect((await world.admin.get(colleague.user.path)).status).toBe(200)
  expect((await world.admin.get(former.account.path)).body.data.name).toBe('Bakery')
})

const settle = (fields: object) =>
  world.admin.put('/v2/settings/account-authentication', body('account_authentication_settings', fields))

/** A member with an account that was created with them, and an address of that account. */
async function makeMemberWithAccount(name: string) {
  await settle({ auto_create_account_for_account_members: true })
  const member = await makeMember(world.admin, name)
  await settle({ auto_create_account_for_account_members: false })
  const { body: own } = await world.admin.get(`/v2/account-members/${member.user.id}/account-memberships`)
  const account = `/v2/accounts/${own.data[0].relationships.account.data.id}`
  await create(world.admin, `${account}/addresses`, 'address', addressOf(name))
  return { ...member, account }
}

const named = () => `q${randomUUID().slice(0, 8)}`
const changes: [
  what: string,
  change: (member: { user: { path: string }; account: string }) => Promise<unknown>,
][] = [
  [
    'has another name',
    ({ user }) => world.admin.put(user.path, body('user_authentication_info', { name: 'Other' })),
  ],
  [
    'has another name, as has the account',
    async ({ user, account }) => {
      await world.admin.put(user.path, body('user_authentication_info', { name: 'Other' }))
      await world.admin.put(account, body('account', { name: 'Another', legal_name: null }))
    },
  ],
  ['is gone', ({ user }) => world.admin.delete(user.path)],
  ['has lost the account', ({ account }) => world.admin.delete(account)],
]
test.each(changes)(
  'nothing is left of the account that was created with a member when the member %s',
  async (_, change) => {
    const name = named()
    const member = await makeMemberWithAccount(name)
    await change(member)
    expect(await erase(world.admin, 'account-member', member.user.id)).toMatchObject({ status: 'SUCCESS' })
    await expectGone(member.user.path, member.account)
    expect(await placesOf(world, name)).toEqual([])
  },
)

test.each(['customer', 'user-authentication-info', 'user-authentication-oidc-profile-info'])(
  'nothing is left of a customer who signs in at a provider, whichever object is erased: %s',
  async (which) => {
    const name = named()
    const { customers: realm } = await realmsOf(world.admin)
    const person = { name, email: `${name}@example.com` }
    const users = `/v2/authentication-realms/${realm}/user-authentication-info`
    const user = await create(world.admin, users, 'user_authentication_info', person)
    const profile = await create(
      world.admin,
      `/v2/authentication-realms/${realm}/oidc-profiles`,
      'oidc-profile',
      {
        name: 'Directory',
        discovery_url: 'https://id.example.com/.well-known/openid-configuration',
        client_id: 'shop',
        client_secret: 'between us',
      },
    )
    const link = { subject: `subject-${name}`, oidc_profile_id: profile.id }
    const links = `${user.path}/user-authentication-oidc-profile-info`
    const oidc = await create(world.admin, links, 'user_authentication_oidc_profile_info', link)
    // As the first sign-in does: see create-customer-token.ts.
    const { store } = world.work
    const values = { ...person, external_ref: null } as Parameters<
      typeof store.insert<typeof customers.fields, unknown>
    >[1]['values']
    await store.insert(customers, { id: user.id, values })
    const customer = `/v2/customers/${user.id}`
    await create(world.admin, `${customer}/addresses`, 'address', addressOf(name))

    const { body: around } = await world.admin.get(`${related}${about('customer', user.id)}`)
    const types = around.data.map(({ resource_type }: { resource_type: string }) => resource_type)
    expect(types.sort()).toEqual([
      'address',
      'user-authentication-info',
      'user-authentication-oidc-profile-info',
    ])
    const id = which.includes('oidc') ? oidc.id : user.id
    expect(await erase(world.admin, which, id)).toMatchObject({ status: 'SUCCESS' })
    await expectGone(user.path, oidc.path, customer)
    expect(await placesOf(world, name)).toEqual([])
  },
)

test('an erased account leaves no trace in the database, and its members stay', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const { account, address } = await makeAccount(world.admin, name)
  const { user } = await makeMember(world.admin, 'ida')
  await join(world.admin, account, user.id)
  expect(await erase(world.admin, 'account', account.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await placesOf(world, name)).toEqual([])
  await expectGone(account.path, address.path)
  expect((await world.admin.get(user.path)).status).toBe(200)
})

test('an erasure also erases the logs of objects that were deleted before', async () => {
  const name = `q${randomUUID().slice(0, 8)}`
  const { customer, address } = await makeCustomer(world.admin, name)
  await world.admin.delete(customer.path)
  expect(await placesOf(world, name)).toEqual(['changes.doc'])
  expect(await erase(world.admin, 'address', address.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await placesOf(world, name)).toEqual([])
})

test('an account with child accounts is not erased, and the request says why', async () => {
  const { account, address } = await makeAccount(world.admin, 'Parent')
  const child = await create(world.admin, '/v2/accounts', 'account', { name: 'Child', parent_id: account.id })
  const refused = await erase(world.admin, 'account', account.id)
  expect(refused.status).toBe('FAILURE')
  expect(refused.status_description).toMatch(/child accounts/)
  expect((await world.admin.get(address.path)).status).toBe(200)
  expect((await world.admin.get(`${logs}${about('account', account.id)}`)).body.data).toHaveLength(1)
  await erase(world.admin, 'account', child.id)
  expect(await erase(world.admin, 'account', account.id)).toMatchObject({ status: 'SUCCESS' })
})

test('an erasure with the wrong type, or from another store, erases nothing', async () => {
  const { account } = await makeAccount(world.admin, 'Safe')
  const { customer } = await makeCustomer(world.admin, 'safe')
  for (const type of ['customer', 'address', 'account-member', 'user-authentication-info', 'order']) {
    expect(await erase(world.admin, type, account.id)).toMatchObject({ status: 'SUCCESS' })
  }
  expect(await erase(world.other, 'account', account.id)).toMatchObject({ status: 'SUCCESS' })
  expect(await erase(world.other, 'customer', customer.id)).toMatchObject({ status: 'SUCCESS' })
  expect((await world.admin.get(`${logs}${about('account', account.id)}`)).body.data).toHaveLength(1)
  for (const { path } of [account, customer]) expect((await world.admin.get(path)).status).toBe(200)
})

test('the feed has the deletions, with the author of the request', async () => {
  const { customer, address } = await makeCustomer(world.admin, 'jane')
  const { initiator } = await erase(world.admin, 'customer', customer.id)
  const { rows } = await world.feed(
    'SELECT type, event, actor, doc FROM changes WHERE id = ANY($1) ORDER BY type',
    [[customer.id, address.id]],
  )
  const actor = initiator['access-token-id']
  expect(rows).toEqual([
    { type: 'address', event: 'deleted', actor, doc: null },
    { type: 'customer', event: 'deleted', actor, doc: null },
  ])
})

test('a repeated job and two concurrent requests erase once', async () => {
  const { customer } = await makeCustomer(world.admin, 'kate')
  const both = await Promise.all([
    erase(world.admin, 'customer', customer.id),
    erase(world.admin, 'customer', customer.id),
  ])
  expect(both.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
  const [one] = both
  const job = app.flatMap(({ jobs }) => jobs).find(({ name }) => name === 'personal-data:erase-personal-data')
  await job?.run(world.work, { requestId: one.id })
  expect((await world.admin.get(`${erasureRequests}/${one.id}`)).body.data).toEqual(one)
})

test('a concurrent write to a set happens before the erasure or not at all', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `q${randomUUID().slice(0, 8)}`
    const { customer } = await makeCustomer(world.admin, name)
    const address = {
      first_name: name,
      last_name: name,
      line_1: name,
      county: 'x',
      postcode: 'x',
      country: 'GB',
    }
    let done = false
    const adding = (async () => {
      while (!done) await world.admin.post(`${customer.path}/addresses`, body('address', address))
    })()
    await erase(world.admin, 'customer', customer.id)
    done = true
    await adding
    expect(await placesOf(world, name)).toEqual([])
    expect((await world.admin.get(`${related}${about('customer', customer.id)}`)).body.data).toEqual([])
  }
})
