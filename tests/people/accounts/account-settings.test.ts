import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../builders/people/accounts.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const membershipPath = '/v2/settings/account-membership'
const authenticationPath = '/v2/settings/account-authentication'
const setting = (fields: object) => body('account_membership_setting', fields)
const settings = (fields: object) => body('account_authentication_settings', fields)

test('the membership limit of a store is a setting from 1 to 10,000', async () => {
  expect((await world.admin.get(membershipPath)).body).toEqual(setting({ membership_limit: 10_000 }))
  expect((await world.admin.put(membershipPath, setting({ membership_limit: 5 }))).body).toEqual(
    setting({ membership_limit: 5 }),
  )
  expect((await world.other.get(membershipPath)).body).toEqual(setting({ membership_limit: 10_000 }))
  for (const membership_limit of [0, 10_001, 1.5, '5', null]) {
    const { status, body } = await world.admin.put(membershipPath, setting({ membership_limit }))
    expect([status, body.errors[0].source]).toEqual([400, 'data.membership_limit'])
  }
})

test('shoppers read the authentication settings, and cannot change them', async () => {
  const { body } = await world.admin.get(authenticationPath)
  const read = await world.shopper.get(authenticationPath)
  expect([read.status, read.body]).toEqual([200, body])
  expect((await world.shopper.put(authenticationPath, settings({ enable_self_signup: true }))).status).toBe(
    403,
  )
  expect((await world.nobody.get(authenticationPath)).status).toBe(401)
})

test('the authentication settings name the realm, and change one by one', async () => {
  const defaults = {
    enable_self_signup: false,
    auto_create_account_for_account_members: false,
    account_member_self_management: 'disabled',
    account_management_authentication_token_timeout_secs: 86_400,
  }
  const { body } = await world.admin.get(authenticationPath)
  const { id } = body.data.relationships.authentication_realm.data
  expect(body).toEqual({
    data: {
      type: 'account_authentication_settings',
      id: world.storeId,
      ...defaults,
      relationships: {
        authentication_realm: {
          data: {
            type: 'authentication_realm',
            id,
            links: { self: `${world.url}/v2/authentication-realms/${id}` },
          },
        },
      },
      meta: { client_id: 'account-management' },
    },
    links: { self: world.url + authenticationPath },
  })
  expect((await world.admin.get(`/v2/authentication-realms/${id}`)).status).toBe(200)
  const changes = {
    enable_self_signup: true,
    account_member_self_management: 'update_only',
    meta: { client_id: 'x' },
  }
  const changed = await world.admin.put(authenticationPath, settings(changes))
  expect(changed.body.data).toMatchObject({
    ...defaults,
    enable_self_signup: true,
    account_member_self_management: 'update_only',
    meta: { client_id: 'account-management' },
  })
  for (const wrong of [
    { account_member_self_management: 'all' },
    { account_management_authentication_token_timeout_secs: 0 },
    { enable_self_signup: 'yes' },
  ]) {
    const { status, body } = await world.admin.put(authenticationPath, settings(wrong))
    expect([status, body.errors[0].source]).toEqual([400, `data.${Object.keys(wrong)[0]}`])
  }
})

test('a new member gets an account if the store has set that', async () => {
  const without = await member(world.admin, { name: 'Nora Alone' })
  await world.admin.put(authenticationPath, settings({ auto_create_account_for_account_members: true }))
  const id = await member(world.admin, { name: 'Ada Byron' })
  const { body: list } = await world.admin.get(
    `/v2/account-members/${id}/account-memberships?include=account`,
  )
  expect(list.included.accounts).toMatchObject([{ type: 'account', name: 'Ada Byron', external_ref: null }])
  const [account] = list.included.accounts
  expect(
    (await world.admin.get(`/v2/accounts/${account.id}/account-memberships`)).body.meta.results.total,
  ).toBe(1)
  const none = await world.admin.get(`/v2/account-members/${without}/account-memberships`)
  expect(none.body.meta.results.total).toBe(0)

  const { body: customers } = await world.admin.get('/v2/settings/customer-authentication')
  const realm = customers.data.relationships['authentication-realm'].data.id
  const user = body('user_authentication_info', { name: 'Buyer', email: 'b@example.com' })
  await world.admin.post(`/v2/authentication-realms/${realm}/user-authentication-info`, user)
  expect((await world.admin.get('/v2/accounts')).body.meta.results.total).toBe(1)
})
