import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { begin, callbackPath, follow, openIn, profileAt, redirectUri } from '../../builders/people/sign-in.ts'
import { type OidcProvider, startProvider } from '../../support/oidc-provider.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Who came in by a provider and set a password must not stay when the provider's word for them is gone. */

const names = ['taken', 'unlinked', 'relinked', 'deleted', 'profile', 'kept'] as const
const people = Object.fromEntries(
  names.flatMap((name) => [
    [`${name}-stranger`, { email: `${name}@example.com`, email_verified: false, name: 'Stranger' }],
    [`${name}-owner`, { email: `${name}@example.com`, email_verified: true, name: 'Owner' }],
  ]),
)

let world: World
let provider: OidcProvider
let realm: string
beforeAll(async () => {
  world = await openWorld()
  provider = await startProvider(people)
  realm = (await realmsOf(world.admin)).customers
  const policy = body('authentication-realm', { duplicate_email_policy: 'api_only' })
  expect((await world.admin.put(`/v2/authentication-realms/${realm}`, policy)).status).toBe(200)
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

async function newProfile() {
  const profile = await profileAt(world, realm, provider.discoveryUrl)
  const redirectUris = [`${world.url}${callbackPath(world, realm, profile)}`]
  await provider.register({ clientId: 'shop', clientSecret: 'the provider knows it', redirectUris })
  return profile
}

async function signIn(profile: string, who: string) {
  provider.signInAs(who)
  const { verifier, location } = await begin(world, realm, profile)
  const { location: back } = await openIn(await follow(location, world.url))
  const code = back?.searchParams.get('code')
  const fields = {
    oauth_authorization_code: code,
    oauth_redirect_uri: redirectUri,
    oauth_code_verifier: verifier,
  }
  const reply = await world.shopper.post(
    tokens,
    body('token', { authentication_mechanism: 'oidc', ...fields }),
  )
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return { id: reply.body.data.customer_id as string, token: reply.body.data.token as string }
}

const withPassword = (name: string) =>
  world.shopper.post(tokens, body('token', { email: `${name}@example.com`, password }))

/** A stranger claims the address, and sets a password. */
async function stranger(profile: string, name: string) {
  const { id, token } = await signIn(profile, `${name}-stranger`)
  const header = { 'x-moltin-customer-token': token }
  const set = await world.shopper.put(`${customers}/${id}`, body('customer', { password }), header)
  expect([set.status, set.body.data.password]).toEqual([200, true])
  const byPassword = await withPassword(name)
  expect(byPassword.status).toBe(200)
  return { id, header: { 'x-moltin-customer-token': byPassword.body.data.token as string } }
}

async function expectGone(name: string, id: string, header: Record<string, string>) {
  expect((await withPassword(name)).status).toBe(401)
  expect((await world.shopper.get(`${customers}/${id}`, header)).status).toBe(401)
  expect((await world.admin.get(`${customers}/${id}`)).body.data.password).toBe(false)
}

const userPath = (id: string) => `/v2/authentication-realms/${realm}/user-authentication-info/${id}`
const linkPath = async (id: string) => {
  const links = `${userPath(id)}/user-authentication-oidc-profile-info`
  return `${links}/${(await world.admin.get(links)).body.data[0].id}`
}
const relink = body('user_authentication_oidc_profile_info', { subject: 'somebody-else' })

const ways: [
  what: string,
  name: (typeof names)[number],
  act: (id: string, profile: string) => Promise<number>,
][] = [
  ['the owner signs in', 'taken', async (_id, profile) => ((await signIn(profile, 'taken-owner')) ? 204 : 0)],
  ['the user is unlinked', 'unlinked', async (id) => (await world.admin.delete(await linkPath(id))).status],
  [
    'the user is linked to someone else',
    'relinked',
    async (id) => (await world.admin.put(await linkPath(id), relink)).status + 4,
  ],
  ['the user is deleted', 'deleted', async (id) => (await world.admin.delete(userPath(id))).status],
  [
    'the profile is deleted',
    'profile',
    async (_id, profile) =>
      (await world.admin.delete(`/v2/authentication-realms/${realm}/oidc-profiles/${profile}`)).status,
  ],
]

describe('the password that a stranger has set is removed', () => {
  test.each(ways)('when %s', async (_what, name, act) => {
    const profile = await newProfile()
    const { id, header } = await stranger(profile, name)
    expect(await act(id, profile)).toBe(204)
    await expectGone(name, id, header)
  })
})

test('a password stays when a link is added, and other customers keep theirs', async () => {
  const profile = await newProfile()
  const own = await idOf(world.admin.post(customers, customer({ email: 'own@example.com', password })))
  const { id } = await stranger(profile, 'kept')
  const other = await newProfile()
  const links = `${userPath(id)}/user-authentication-oidc-profile-info`
  const more = body('user_authentication_oidc_profile_info', { subject: 'more', oidc_profile_id: other })
  expect((await world.admin.post(links, more)).status).toBe(201)
  expect((await withPassword('kept')).status).toBe(200)
  const stays = await world.shopper.post(tokens, body('token', { email: 'own@example.com', password }))
  expect([stays.status, stays.body.data.customer_id]).toEqual([200, own])
})
