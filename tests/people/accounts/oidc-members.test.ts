import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountRealm } from '../../builders/people/accounts.ts'
import { header, settle, tokenRequest, tokens } from '../../builders/people/members.ts'
import { begin, callbackPath, follow, openIn, profileAt, redirectUri } from '../../builders/people/sign-in.ts'
import { type OidcProvider, startProvider } from '../../support/oidc-provider.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let provider: OidcProvider
let realm: string
let profile: string
beforeAll(async () => {
  world = await openWorld()
  provider = await startProvider({
    ada: { email: 'ada@example.com', email_verified: true, name: 'Ada Marsh' },
  })
  realm = (await accountRealm(world.admin)).split('/').at(-1) as string
  profile = await profileAt(world, realm, provider.discoveryUrl)
  await provider.register({
    clientId: 'shop',
    clientSecret: 'the provider knows it',
    redirectUris: [`${world.url}${callbackPath(world, realm, profile)}`],
  })
  provider.signInAs('ada')
  await settle(world, { auto_create_account_for_account_members: true })
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

/** A sign-in at the provider, and what the storefront has from it. */
async function signIn() {
  const { verifier, location } = await begin(world, realm, profile, { client_id: 'account-management' })
  const { location: back } = await openIn(await follow(location, world.url))
  return {
    oauth_authorization_code: back?.searchParams.get('code'),
    oauth_redirect_uri: redirectUri,
    oauth_code_verifier: verifier,
  }
}

test('a member who signs in at a provider gets tokens for the code, once', async () => {
  const code = await signIn()
  const first = await world.shopper.post(tokens, tokenRequest('oidc', code))
  expect([first.status, JSON.stringify(first.body)]).toEqual([201, expect.stringContaining('Ada Marsh')])
  const list = await world.shopper.get('/v2/accounts', { [header]: first.body.data[0].token })
  expect(list.body.data).toMatchObject([{ name: 'Ada Marsh' }])
  expect((await world.shopper.post(tokens, tokenRequest('oidc', code))).status).toBe(401)
  // Who brought it last, or first, is a thief.
  const ended = await world.shopper.get('/v2/accounts', { [header]: first.body.data[0].token })
  expect(ended.status).toBe(401)
  const again = await world.shopper.post(tokens, tokenRequest('oidc', await signIn()))
  expect(again.body.meta.account_member_id).toBe(first.body.meta.account_member_id)
})

test('a code is refused with another verifier or redirect URI, and in another store', async () => {
  const stolen = { ...(await signIn()), oauth_code_verifier: 'a guess' }
  expect((await world.shopper.post(tokens, tokenRequest('oidc', stolen))).status).toBe(401)
  const astray = { ...(await signIn()), oauth_redirect_uri: 'https://elsewhere.example.com' }
  expect((await world.shopper.post(tokens, tokenRequest('oidc', astray))).status).toBe(401)
  expect((await world.other.post(tokens, tokenRequest('oidc', await signIn()))).status).toBe(401)
})

test('a code ends when the link of its user is deleted', async () => {
  const first = await world.shopper.post(tokens, tokenRequest('oidc', await signIn()))
  const user = `${await accountRealm(world.admin)}/user-authentication-info/${first.body.meta.account_member_id}`
  const { body: links } = await world.admin.get(`${user}/user-authentication-oidc-profile-info`)
  const code = await signIn()
  expect((await world.admin.delete(links.data[0].links.self)).status).toBe(204)
  const late = await world.shopper.post(tokens, tokenRequest('oidc', code))
  expect(late.status).toBe(401)
  const headers = { [header]: first.body.data[0].token }
  expect((await world.shopper.get('/v2/accounts', headers)).status).toBe(401)
})

test('a member who is unlinked while they sign in gets no valid token', async () => {
  for (let round = 0; round < 20; round++) {
    const first = await world.shopper.post(tokens, tokenRequest('oidc', await signIn()))
    const member = first.body.meta.account_member_id
    const links = `${await accountRealm(world.admin)}/user-authentication-info/${member}/user-authentication-oidc-profile-info`
    const [link] = (await world.admin.get(links)).body.data
    const { verifier, location } = await begin(world, realm, profile, { client_id: 'account-management' })
    const callback = await follow(location, world.url)
    const [{ location: back }] = await Promise.all([openIn(callback), world.admin.delete(link.links.self)])
    const code = {
      oauth_authorization_code: back?.searchParams.get('code'),
      oauth_redirect_uri: redirectUri,
      oauth_code_verifier: verifier,
    }
    const late = await world.shopper.post(tokens, tokenRequest('oidc', code))
    // Whoever came after the link was gone is someone new.
    if (late.status !== 201 || late.body.meta.account_member_id !== member) continue
    const { status } = await world.shopper.get('/v2/accounts', { [header]: late.body.data[0].token })
    expect(status).toBe(401)
  }
})
