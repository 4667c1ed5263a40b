import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashOf } from '../../../server/people/oidc/sign-in-request.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import {
  begin,
  callbackPath,
  follow,
  openIn,
  profileAt,
  redeem,
  redirectUri,
} from '../../builders/people/sign-in.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { type OidcProvider, startProvider } from '../../support/oidc-provider.ts'
import { openWorld, type World } from '../../support/world.ts'

const people = {
  ada: { email: 'ada@example.com', email_verified: true, name: 'Ada Marsh', given_name: 'Ada' },
  bob: { email: 'bob@example.com', name: 'Bob Fen' },
  nameless: { email: 'nameless@example.com' },
  'without email': { name: 'No One' },
}
const secret = 'the provider knows it'

const clock = new MovingClock()
let world: World
let provider: OidcProvider
let realm: string
let profile: string
beforeAll(async () => {
  world = await openWorld({ clock })
  provider = await startProvider(people)
  realm = (await realmsOf(world.admin)).customers
  profile = await profileAt(world, realm, provider.discoveryUrl)
  await provider.register({
    clientId: 'shop',
    clientSecret: secret,
    redirectUris: [`${world.url}${callbackPath(world, realm, profile)}`],
  })
})
afterAll(async () => {
  await provider.close()
  await world.close()
})
beforeEach(() => provider.signInAs('ada'))
afterEach(() => vi.restoreAllMocks())

/** The whole way of a browser: to the provider, back to us, back to the storefront. */
async function signIn(changes = {}) {
  const { verifier, location } = await begin(world, realm, profile, changes)
  const callback = await follow(location, world.url)
  const answer = await openIn(callback)
  return { verifier, callback, answer, query: answer.location?.searchParams as URLSearchParams }
}

const usersOf = async (email: string) =>
  (
    await world.admin.get(
      `/v2/authentication-realms/${realm}/user-authentication-info?filter=eq(email,${email})`,
    )
  ).body.data
const linksOf = async (user: string) =>
  (
    await world.admin.get(
      `/v2/authentication-realms/${realm}/user-authentication-info/${user}/user-authentication-oidc-profile-info`,
    )
  ).body.data

describe('a person who signs in', () => {
  test('becomes a user at the first sign-in, and is that user from then on', async () => {
    const { answer, query, verifier } = await signIn()
    expect(answer.status).toBe(307)
    expect(answer.location?.href.startsWith(`${redirectUri}&code=`)).toBe(true)
    expect(query.get('state')).toBe('the storefront’s own')
    expect(query.get('error')).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')

    const [user, ...others] = await usersOf('ada@example.com')
    expect(others).toEqual([])
    expect(user).toMatchObject({ name: 'Ada Marsh', given_name: 'Ada', email: 'ada@example.com' })
    expect(await linksOf(user.id)).toMatchObject([
      { subject: 'ada', issuer: provider.url, oidc_profile_id: profile },
    ])
    expect((await redeem(world, realm, query.get('code'), verifier)).id).toBe(user.id)

    const again = await signIn()
    expect((await redeem(world, realm, again.query.get('code'), again.verifier)).id).toBe(user.id)
    expect(await usersOf('ada@example.com')).toEqual([user])
  })

  test('gets their email address as name if the provider has no name', async () => {
    provider.signInAs('nameless')
    await signIn()
    expect((await usersOf('nameless@example.com'))[0].name).toBe('nameless@example.com')
  })

  test('needs an email address the first time', async () => {
    provider.signInAs('without email')
    expect((await signIn()).query.get('error')).toBe('access_denied')
  })

  test('may decline at the provider', async () => {
    provider.signInAs(undefined)
    const { query } = await signIn()
    expect([query.get('error'), query.get('code'), query.get('state')]).toEqual([
      'access_denied',
      null,
      'the storefront’s own',
    ])
  })

  test('sends their choices to the provider through the server', async () => {
    const { request, location } = await begin(world, realm, profile, {
      prompt: 'none',
      display: 'page',
      ui_locales: 'fr-CA fr',
    })
    expect(Object.fromEntries(request)).toMatchObject({
      client_id: 'shop',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      prompt: 'none',
      display: 'page',
      ui_locales: 'fr-CA fr',
      redirect_uri: `${world.url}${callbackPath(world, realm, profile)}`,
    })
    const answer = await openIn(await follow(location, world.url))
    expect(answer.location?.searchParams.get('error')).toBe('login_required')
  })
})

describe('the code', () => {
  test('is valid once', async () => {
    const { query, verifier } = await signIn()
    await redeem(world, realm, query.get('code'), verifier)
    await expect(redeem(world, realm, query.get('code'), verifier)).rejects.toMatchObject({ status: 401 })
  })

  test('is valid once, also for concurrent requests', async () => {
    const { query, verifier } = await signIn()
    const tries = Array.from({ length: 8 }, () => redeem(world, realm, query.get('code'), verifier))
    const settled = await Promise.allSettled(tries)
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  })

  const wrong: [what: string, change: { realm?: string; verifier?: string; uri?: string; code?: string }][] =
    [
      ['another verifier', { verifier: 'x'.repeat(43) }],
      ['no verifier', { verifier: '' }],
      ['another redirect URI', { uri: 'https://shop.example.com/signed-in' }],
      ['another code', { code: 'x'.repeat(43) }],
      ['no text at all', { code: '\0' }],
    ]
  test.each(wrong)('is refused with %s', async (_what, { verifier, uri, code }) => {
    const { query, ...rest } = await signIn()
    const attempt = [code ?? query.get('code'), verifier ?? rest.verifier, uri] as const
    await expect(redeem(world, realm, ...attempt)).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
    })
    // Whoever tried had seen it: it is burnt.
    if (code === undefined) {
      await expect(redeem(world, realm, query.get('code'), rest.verifier)).rejects.toThrow()
    }
  })

  test('is refused in another realm', async () => {
    const { accounts } = await realmsOf(world.admin)
    const { query, verifier } = await signIn()
    await expect(redeem(world, accounts, query.get('code'), verifier)).rejects.toMatchObject({ status: 401 })
  })

  test('is refused after five minutes', async () => {
    const { query, verifier } = await signIn()
    clock.forward(301)
    await expect(redeem(world, realm, query.get('code'), verifier)).rejects.toMatchObject({ status: 401 })
  })
})

describe('the callback of the provider', () => {
  test('is refused the second time', async () => {
    const { callback } = await signIn()
    const again = await openIn(callback)
    expect([again.status, again.location, JSON.parse(again.text).error]).toEqual([
      400,
      undefined,
      'invalid_request',
    ])
  })

  test('redirects to the storefront the second time, if the storefront wants that', async () => {
    const { callback } = await signIn({ ep_report_callback_replay_error: 'true' })
    const again = await openIn(callback)
    expect(again.location?.href.startsWith(redirectUri)).toBe(true)
    expect([again.location?.searchParams.get('error'), again.location?.searchParams.get('code')]).toEqual([
      'invalid_request',
      null,
    ])
  })

  test('is accepted only at the profile and the realm of its sign-in', async () => {
    const { accounts } = await realmsOf(world.admin)
    const other = await profileAt(world, realm, provider.discoveryUrl)
    const elsewhere = await profileAt(world, accounts, provider.discoveryUrl)
    const { location } = await begin(world, realm, profile)
    const { search } = await follow(location, world.url)
    for (const path of [callbackPath(world, realm, other), callbackPath(world, accounts, elsewhere)]) {
      expect((await openIn(`${world.url}${path}${search}`)).status).toBe(400)
    }
    const right = await openIn(`${world.url}${callbackPath(world, realm, profile)}${search}`)
    expect(right.location?.searchParams.get('code')).toBeTruthy()
  })

  test.each(['', '?state=', '?state=x', '?code=x', '?state=%00&code=x', '?state=%ff'])(
    'is refused with %j',
    async (query) => {
      const reply = await openIn(`${world.url}${callbackPath(world, realm, profile)}${query}`)
      expect([reply.status, JSON.parse(reply.text).error]).toEqual([400, 'invalid_request'])
    },
  )

  test('is refused after ten minutes', async () => {
    const { location } = await begin(world, realm, profile)
    const callback = await follow(location, world.url)
    clock.forward(601)
    const { location: back } = await openIn(callback)
    expect(back?.href.startsWith(redirectUri)).toBe(true)
    expect([back?.searchParams.get('error'), back?.searchParams.get('code')]).toEqual([
      'invalid_request',
      null,
    ])
  })
})

describe('the provider', () => {
  test('may sign with another key at any time', async () => {
    expect((await signIn()).query.get('code')).toBeTruthy()
    await provider.rotateKeys()
    expect((await signIn()).query.get('code')).toBeTruthy()
  })

  test('may refuse the secret, and the storefront gets an error without details', async () => {
    const path = `/v2/authentication-realms/${realm}/oidc-profiles/${profile}`
    const put = (client_secret: string) =>
      world.admin.put(path, { data: { type: 'oidc-profile', client_secret } })
    await put('not it')
    expect((await signIn()).query.get('error')).toBe('temporarily_unavailable')
    await put(secret)
    expect((await signIn()).query.get('code')).toBeTruthy()
  })

  test('may be down, before and after the browser is sent there', async () => {
    const other = await startProvider(people)
    const down = await profileAt(world, realm, other.discoveryUrl)
    await other.register({
      clientId: 'shop',
      clientSecret: secret,
      redirectUris: [`${world.url}${callbackPath(world, realm, down)}`],
    })
    other.signInAs('ada')
    const callback = await follow((await begin(world, realm, down)).location, world.url)
    await other.close()
    const after = await openIn(callback)
    expect([after.status, after.location?.searchParams.get('error')]).toEqual([
      307,
      'temporarily_unavailable',
    ])
    clock.forward(601)
    const { location } = await begin(world, realm, down)
    expect(location.href.startsWith(redirectUri)).toBe(true)
    expect(location.searchParams.get('error')).toBe('temporarily_unavailable')
  })
})

test('the nonce and the verifier are not stored as they are', async () => {
  const { request } = await begin(world, realm, profile)
  const { rows } = await world.sql('SELECT * FROM sign_in_requests')
  const values = rows.flatMap((row) => Object.values(row)).map(String)
  expect(values.length).toBeGreaterThan(0)
  expect(values).not.toContain(request.get('nonce'))
  expect(values.map(hashOf)).not.toContain(request.get('code_challenge'))
})

test('no secret and no code is logged, in the feed, or stored as it is', async () => {
  const { log } = world.server.instance
  const lines = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error'), vi.spyOn(log, 'info')]
  const { callback, query, verifier } = await signIn()
  await openIn(callback)
  provider.signInAs(undefined)
  const declined = await signIn()
  expect(lines[0]).toHaveBeenCalled()
  const secrets = [callback, declined.callback]
    .flatMap(({ searchParams }) => [searchParams.get('state'), searchParams.get('code')])
    .concat(query.get('code'), verifier, secret)
    .filter((text): text is string => text !== null)
  const logged = JSON.stringify(lines.map(({ mock }) => mock.calls))
  const { rows: fed } = await world.feed('SELECT doc::text, actor FROM changes')
  const { rows: texts } = await world.sql(
    'SELECT r.*::text FROM sign_in_requests r UNION ALL SELECT c.*::text FROM sign_in_codes c',
  )
  expect(texts.length).toBeGreaterThan(1)
  for (const one of secrets) {
    for (const text of [logged, JSON.stringify(fed), JSON.stringify(texts)]) expect(text).not.toContain(one)
  }
})
