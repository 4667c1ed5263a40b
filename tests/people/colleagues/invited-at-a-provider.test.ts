import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { firstLink } from '../../../server/people/index.ts'
import { colleagueOf } from '../../builders/people/colleagues.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { begin, callbackPath, firstSignIn, openIn, profileAt } from '../../builders/people/sign-in.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { type ForgingProvider, startForger } from '../../support/oidc-provider.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
const password = 'eleven horses by the river'
let world: World
let provider: ForgingProvider
let realm: string
let profile: string
const console = () => `${world.url}/console/signed-in`
const users = () => `/v2/authentication-realms/${realm}/user-authentication-info`
beforeAll(async () => {
  world = await openWorld({ clock, overHttp: true })
  await colleagueOf(world, 'Store Admin')
  realm = (await realmsOf(world.admin)).merchants
  provider = await startForger()
  profile = await profileAt(world, realm, provider.discoveryUrl)
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

let people = 0
let email = ''
beforeEach(() => {
  people += 1
  // Other builders name theirs `colleague-…`.
  email = `invited-${people}@example.com`
})

/** Signs a person in at the provider, and in to the console with the code. */
async function signIn(claims: object, person = `${people}`, at = realm, by = profile) {
  const changes = { client_id: 'colleagues', redirect_uri: console() }
  const { request, verifier } = await begin(world, at, by, changes)
  const times = { iat: 0, exp: 4_000_000_000 }
  const token = { iss: provider.url, aud: 'shop', sub: person, nonce: request.get('nonce'), ...times }
  provider.claims = { ...token, name: 'Ada Marsh', ...claims }
  const query = `state=${request.get('state')}&code=${request.get('nonce')}`
  const { location } = await openIn(`${world.url}${callbackPath(world, at, by)}?${query}`)
  const code = location?.searchParams.get('code')
  if (!code) return { status: 0, error: location?.searchParams.get('error') }
  const reply = await world.nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'oidc', store: world.storeId, oauth_authorization_code: code },
      ...{ oauth_redirect_uri: console(), oauth_code_verifier: verifier },
    }),
  )
  return { status: reply.status, userId: reply.body.data?.user_id, token: reply.body.data?.token }
}

async function invite(address = email) {
  const { status, body: invited } = await world.admin.post(
    '/v2/colleague-invitations',
    body('colleague_invitation', { name: 'Ada', email: address, role: 'support', delivery: 'link' }),
  )
  expect([status, invited.errors]).toEqual([201, undefined])
  return invited.data as { id: string; user_id: string; link: string }
}

const accept = (link: string) =>
  world.nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'invitation', store: world.storeId, password },
      invitation: link.split('#')[1],
    }),
  )

const usersOf = async (address = email) =>
  (await world.admin.get(`${users()}?filter=eq(email,${address})`)).body.data as { id: string }[]

const asTheyAre = () => ({ email, email_verified: true })

describe('an invited colleague', () => {
  test('signs in with a provider that has verified their address, and the link is used up', async () => {
    const { id, user_id, link } = await invite(email.toUpperCase())
    expect(await signIn(asTheyAre())).toMatchObject({ status: 201, userId: user_id })
    expect(await usersOf()).toHaveLength(1)
    expect((await world.admin.get(`/v2/colleague-invitations/${id}`)).status).toBe(404)
    expect((await accept(link)).status).toBe(401)
    // From now on it is the identity that counts.
    expect(await signIn({ email: `new-${email}`, email_verified: false })).toMatchObject({
      ...{ status: 201, userId: user_id },
    })
  })

  test.each([false, undefined, null, 'false', 1])(
    'is not who has their address with email_verified %j',
    async (email_verified) => {
      const { link } = await invite()
      expect((await signIn({ email, email_verified })).status).toBe(403)
      expect((await accept(link)).status).toBe(201)
    },
  )

  test('is not who has another address, or one that another source has verified', async () => {
    await invite()
    expect((await signIn({ email: `x${email}`, email_verified: true })).status).toBe(403)
    provider.userinfo = { sub: `${people}-2`, email: 'mallory@example.com', email_verified: true }
    expect((await signIn({ name: undefined, email }, `${people}-2`)).status).toBe(403)
  })

  test('is not who signs in to another realm of the store, also at the same provider', async () => {
    const { link } = await invite()
    const { accounts } = await realmsOf(world.admin)
    const there = await profileAt(world, accounts, provider.discoveryUrl)
    const { id } = await firstSignIn(
      { world, provider, realm: accounts, profile: there },
      email,
      asTheyAre(),
      {},
    )
    expect(id).toBeDefined()
    expect((await accept(link)).status).toBe(201)
  })

  test('is one of two people who have the address at the same moment', async () => {
    const { user_id } = await invite()
    // One after the other up to the callback, because the provider of this test speaks of one person at a time.
    const replies = [await signIn(asTheyAre(), `${people}-a`), await signIn(asTheyAre(), `${people}-b`)]
    expect(replies.map(({ status }) => status)).toEqual([201, 403])
    expect(replies[0]?.userId).toBe(user_id)
  })

  test('whose invitation has ended is no second user, and signs in after the next one', async () => {
    const { id, user_id } = await invite()
    await world.admin.delete(`/v2/colleague-invitations/${id}`)
    expect(await signIn(asTheyAre())).toEqual({ status: 0, error: 'access_denied' })
    expect(await usersOf()).toHaveLength(1)
    await invite()
    expect(await signIn(asTheyAre())).toMatchObject({ status: 201, userId: user_id })
  })

  test('who has a password already is joined by a new invitation only, and their sign-ins end', async () => {
    const { link, user_id } = await invite()
    const { token } = (await accept(link)).body.data
    expect((await signIn(asTheyAre())).status).toBe(403)
    await invite()
    expect(await signIn(asTheyAre(), `${people}-2`)).toMatchObject({ status: 201, userId: user_id })
    clock.forward(2)
    expect((await world.clientWith(token).get('/v2/accounts')).status).toBe(401)
  })
})

describe('a stranger who claims the address of somebody who is yet to be invited', () => {
  test('does not get their role', async () => {
    expect((await signIn({ email, email_verified: false }, 'stranger')).status).toBe(403)
    const { user_id } = await invite()
    expect((await usersOf()).map(({ id }) => id)).toContain(user_id)
    expect((await signIn({ email, email_verified: false }, 'stranger')).status).toBe(403)
    expect(await signIn(asTheyAre())).toMatchObject({ status: 201, userId: user_id })
  })

  test('does not become the first colleague with them', async () => {
    const other = await openWorld({ overHttp: true })
    const merchants = (await realmsOf(other.admin)).merchants
    await other.sql(
      `INSERT INTO user_authentication_infos (store_id, id, realm_id, created_at, updated_at, doc, hidden)
       VALUES ($1, gen_random_uuid(), $2, now(), now(), json_build_object('name', 'Eve', 'email', $3::text),
         '{"email_claimed": true}')`,
      [other.storeId, merchants, email],
    )
    const link = firstLink(other.server.instance, other.storeId, other.url)
    const { status, body: first } = await other.nobody.post(
      '/v2/colleague-tokens',
      body('colleague_token', {
        ...{ authentication_mechanism: 'invitation', store: other.storeId, password },
        ...{ invitation: link.split('#')[1], name: 'Ada', email },
      }),
    )
    expect(status).toBe(201)
    const { body: found } = await other.admin.get(
      `/v2/authentication-realms/${merchants}/user-authentication-info?filter=eq(email,${email})`,
    )
    expect(found.data).toHaveLength(2)
    const { body: given } = await other.admin.get('/v2/permissions/role-assignments')
    expect(given.data[0].relationships.user.data.id).toBe(first.data.user_id)
    const { rows } = await other.sql(
      `SELECT hidden->>'email_claimed' AS claimed FROM user_authentication_infos WHERE id = $1`,
      [first.data.user_id],
    )
    expect(rows[0]?.claimed).not.toBe('true')
    await other.close()
  })
})

test('an invitation is too old after three days for a provider, too', async () => {
  await invite()
  clock.forward(3 * 24 * 60 * 60 + 1)
  expect(await signIn(asTheyAre())).toEqual({ status: 0, error: 'access_denied' })
})
