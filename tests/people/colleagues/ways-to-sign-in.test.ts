import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addColleague, assignment, colleagueOf, roleId } from '../../builders/people/colleagues.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { callbackPath, follow, loginPath, loginQuery, openIn, pkce } from '../../builders/people/sign-in.ts'
import { type OidcProvider, startProvider } from '../../support/oidc-provider.ts'
import { body, idOf } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let provider: OidcProvider
let realm: string
let profile: string
const console = () => `${world.url}/console/signed-in`
beforeAll(async () => {
  world = await openWorld({ overHttp: true })
  await colleagueOf(world, 'Store Admin')
  realm = (await realmsOf(world.admin)).merchants
  provider = await startProvider({ ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' } })
  profile = await idOf(
    world.admin.post(
      `/v2/authentication-realms/${realm}/oidc-profiles`,
      body('oidc-profile', {
        ...{ name: 'Directory', client_id: 'shop', client_secret: 'the provider knows it' },
        discovery_url: provider.discoveryUrl,
      }),
    ),
  )
  await provider.register({
    ...{ clientId: 'shop', clientSecret: 'the provider knows it' },
    redirectUris: [`${world.url}${callbackPath(world, realm, profile)}`],
  })
})
afterAll(async () => {
  await provider.close()
  await world.close()
})
beforeEach(() => provider.signInAs('ada'))

const login = (changes: Record<string, string | undefined> = {}) =>
  `${world.url}${loginPath(world, realm)}?${loginQuery(profile, {
    ...{ client_id: 'colleagues', redirect_uri: console(), ...changes },
  })}`

/** From the button on the sign-in page to the code. */
async function codeOf(changes = {}) {
  const { verifier, challenge } = pkce()
  const landed = await follow(login({ code_challenge: challenge, ...changes }), console())
  return { verifier, query: landed.searchParams }
}

const redeem = (code: string | null, verifier: string, uri = console()) =>
  world.nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'oidc', store: world.storeId, oauth_authorization_code: code },
      ...{ oauth_redirect_uri: uri, oauth_code_verifier: verifier },
    }),
  )

test('the ways of a store are shown to anyone, without a word of its people', async () => {
  const { status, body: shown } = await world.nobody.get(`/v2/colleague-sign-in?store=${world.storeId}`)
  expect([status, shown.data]).toEqual([
    200,
    {
      ...{ type: 'colleague_sign_in', store_id: world.storeId, realm_id: realm, client_id: 'colleagues' },
      ...{ redirect_uri: console(), passwords: true, one_time_passwords: false },
      providers: [{ id: profile, name: 'Directory' }],
    },
  ])
  expect((await world.nobody.get('/v2/colleague-sign-in')).body.errors[0]).toMatchObject({
    ...{ status: '422', source: 'store' },
  })
  expect((await world.nobody.get(`/v2/colleague-sign-in?store=${randomUUID()}`)).status).toBe(422)
})

test('a colleague signs in with a provider, and without a role they are refused', async () => {
  const first = await codeOf()
  const refused = await redeem(first.query.get('code'), first.verifier)
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    403,
    'You have no role in this store. Ask a Store Admin to give you one.',
  ])
  const { body: users } = await world.admin.get(
    `/v2/authentication-realms/${realm}/user-authentication-info?filter=eq(email,ada@example.com)`,
  )
  const role = await roleId(world.admin, 'Support')
  await world.admin.post('/v2/permissions/role-assignments', assignment(users.data[0].id, role))
  const { query, verifier } = await codeOf()
  expect(query.get('state')).toBe('the storefront’s own')
  const signedIn = await redeem(query.get('code'), verifier)
  expect([signedIn.status, signedIn.body.data?.role]).toEqual([201, 'Support'])
  expect((await world.clientWith(signedIn.body.data.token).get('/v2/accounts')).status).toBe(200)
  // A second time somebody has stolen it, so the session of the first ends, too.
  expect((await redeem(query.get('code'), verifier)).status).toBe(401)
  await expect
    .poll(async () => (await world.clientWith(signedIn.body.data.token).get('/v2/accounts')).status, {
      timeout: 5000,
    })
    .toBe(401)
})

test('a code is of no use with another verifier or address', async () => {
  const one = await codeOf()
  expect((await redeem(one.query.get('code'), pkce().verifier)).status).toBe(401)
  const other = await codeOf()
  expect((await redeem(other.query.get('code'), other.verifier, `${console()}/`)).status).toBe(401)
})

test('who declines comes back with an error', async () => {
  provider.signInAs(undefined)
  const { query } = await codeOf()
  expect([query.get('error'), query.get('code')]).toEqual(['access_denied', null])
})

test.each([
  'https://evil.example.com/console/signed-in',
  '//evil.example.com/console/signed-in',
  '/console/signed-in',
  'javascript:alert(1)//console/signed-in',
])('nobody is sent on to %s', async (redirect_uri) => {
  expect((await openIn(login({ redirect_uri }))).status).toBe(400)
})

test('the page of the console is no address of the other realms, nor one with more in it', async () => {
  for (const redirect_uri of [`${console()}?more`, `${console()}/`, console().toUpperCase()])
    expect((await openIn(login({ redirect_uri }))).status).toBe(400)
  const { accounts } = await realmsOf(world.admin)
  const query = loginQuery(profile, { client_id: 'account-management', redirect_uri: console() })
  expect((await openIn(`${world.url}${loginPath(world, accounts)}?${query}`)).status).toBe(400)
})

test('a colleague signs in with a one-time password, and the response says of nobody whether they exist', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  const ask = (username: string, fields: object = {}) =>
    world.nobody.post(
      '/v2/colleague-one-time-passwords',
      body('colleague_one_time_password', { store: world.storeId, username, ...fields }),
    )
  expect((await ask(email)).status).toBe(422)
  const profiles = `/v2/authentication-realms/${realm}/password-profiles`
  const { body: listed } = await world.admin.get(profiles)
  await world.admin.put(
    `${profiles}/${listed.data[0].id}`,
    body('password_profile', { enable_one_time_password_token: true }),
  )
  const { body: ways } = await world.nobody.get(`/v2/colleague-sign-in?store=${world.storeId}`)
  expect(ways.data.one_time_passwords).toBe(true)
  const replies = [await ask(email), await ask('nobody@example.com')]
  expect(replies.map(({ status, body }) => [status, body])).toEqual([
    [202, undefined],
    [202, undefined],
  ])
  const { openOneTimePasswordEvent } = await import('../../../server/people/index.ts')
  const sent = await until(async () => {
    const { rows } = await world.feed(
      `SELECT doc FROM changes WHERE store_id = $1 AND type = 'one-time-password-token-request'`,
      [world.storeId],
    )
    return rows[0]
  })
  const { one_time_password_token } = openOneTimePasswordEvent(world.server.instance.sealKeys, sent.doc)
  const signIn = (token: unknown) =>
    world.nobody.post(
      '/v2/colleague-tokens',
      body('colleague_token', {
        ...{ authentication_mechanism: 'passwordless', store: world.storeId, username: email },
        one_time_password_token: token,
      }),
    )
  expect((await signIn('wrong1')).status).toBe(401)
  expect((await signIn(one_time_password_token)).status).toBe(201)
  expect((await signIn(one_time_password_token)).status).toBe(401)
})

test('no page of another site signs a browser in: it gets no cookie', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  const text = JSON.stringify(
    body('colleague_token', {
      ...{ authentication_mechanism: 'password', store: world.storeId, username: email },
      password: 'eleven horses by the river',
    }),
  )
  const cookieFor = async (headers: Record<string, string>) => {
    const reply = await fetch(`${world.url}/v2/colleague-tokens`, { method: 'POST', headers, body: text })
    return reply.headers.get('set-cookie')
  }
  // A form can send this type, and its response may set cookies.
  const form = { 'content-type': 'text/plain' }
  expect(await cookieFor({ ...form, 'sec-fetch-site': 'cross-site' })).toBeNull()
  expect(await cookieFor({ ...form, 'sec-fetch-site': 'same-site' })).toBeNull()
  expect(await cookieFor({ ...form, origin: 'https://evil.example.com' })).toBeNull()
  expect(await cookieFor({ ...form, origin: 'null' })).toBeNull()
  expect(await cookieFor({ ...form, 'sec-fetch-site': 'same-origin' })).toContain('sutler_colleague=')
  expect(await cookieFor(form)).toContain('sutler_colleague=')
})
