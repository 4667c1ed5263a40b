import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rates } from '../../../server/kernel/attempts/rates.ts'
import { oidcProfile, realmsOf } from '../../builders/people/realms.ts'
import {
  callbackPath,
  loginPath,
  loginQuery,
  openIn,
  profileAt,
  redirectUri,
} from '../../builders/people/sign-in.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { type ForgingProvider, startForger } from '../../support/oidc-provider.ts'
import { useUp } from '../../support/use-up.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let provider: ForgingProvider
let realms: Awaited<ReturnType<typeof realmsOf>>
let profile: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  provider = await startForger()
  realms = await realmsOf(world.admin)
  profile = await profileAt(world, realms.customers, provider.discoveryUrl)
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

type Changes = Record<string, string | undefined>

const login = (query: URLSearchParams | string, realm = realms.customers) =>
  openIn(`${world.url}${loginPath(world, realm)}?${query}`)
const pending = async () => (await world.sql('SELECT count(*)::int AS n FROM sign_in_requests')).rows[0].n

describe('a request of an unknown storefront is refused without a redirect', () => {
  const cases: [what: string, changes: Changes][] = [
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'someone' }],
    ['the client of another realm', { client_id: 'account-management' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['an unknown redirect URI', { redirect_uri: 'https://evil.example.com/' }],
    ['a longer redirect URI', { redirect_uri: `${redirectUri}&more` }],
    ['a shorter redirect URI', { redirect_uri: 'https://shop.example.com/signed-in' }],
    ['the redirect URI in upper case', { redirect_uri: redirectUri.toUpperCase() }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ]
  test.each(cases)('%s', async (_what, changes) => {
    const before = await pending()
    const reply = await login(loginQuery(profile, changes))
    expect([reply.status, reply.location]).toEqual([400, undefined])
    const { error, error_description, errorDescription } = JSON.parse(reply.text)
    expect([error, errorDescription]).toEqual(['invalid_request', error_description])
    expect(await pending()).toBe(before)
  })

  test.each(['client_id', 'redirect_uri'])('%s sent twice', async (name) => {
    const query = loginQuery(profile)
    query.append(name, query.get(name) as string)
    expect((await login(query)).status).toBe(400)
  })

  test('any storefront in the realm of the administrators', async () => {
    const merchants = await profileAt(world, realms.merchants, provider.discoveryUrl)
    for (const client_id of ['customers', 'account-management', '', undefined]) {
      expect((await login(loginQuery(merchants, { client_id }), realms.merchants)).status).toBe(400)
    }
  })
})

describe('any other fault is returned to the storefront', () => {
  const long = 'x'.repeat(2049)
  const cases: [what: string, changes: Changes, error: string, state?: string | null][] = [
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'unsupported_response_type'],
    ['a scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['a scope without email', { scope: 'openid' }, 'invalid_scope'],
    ['a word that only contains them', { scope: 'openid-email' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['no state', { state: undefined }, 'invalid_request', null],
    ['an empty state', { state: '' }, 'invalid_request', null],
    ['a state that is too long', { state: long }, 'invalid_request', null],
    ['a state that cannot be stored', { state: 'a\0b' }, 'invalid_request', null],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge method', { code_challenge_method: undefined }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'x' }, 'invalid_request'],
    ['no profile', { elasticpath_commerce_cloud_profile_id: undefined }, 'invalid_request'],
    ['no id for a profile', { elasticpath_commerce_cloud_profile_id: "'" }, 'invalid_request'],
    ['an unknown profile', { elasticpath_commerce_cloud_profile_id: randomUUID() }, 'invalid_request'],
    ['a prompt that is too long', { prompt: long }, 'invalid_request'],
  ]
  test.each(cases)('%s', async (_what, changes, error, state = 'the storefront’s own') => {
    const before = await pending()
    const { status, location } = await login(loginQuery(profile, changes))
    expect(status).toBe(307)
    expect(location?.href.startsWith(`${redirectUri}&`)).toBe(true)
    const answer = location?.searchParams as URLSearchParams
    expect([answer.get('error'), answer.get('state'), answer.get('code')]).toEqual([error, state, null])
    // RFC 6749 §4.1.2.1: the characters that a description may have.
    expect(answer.get('error_description')).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(await pending()).toBe(before)
  })

  test('a parameter that is sent twice', async () => {
    for (const name of ['state', 'code_challenge', 'nonsense']) {
      const query = loginQuery(profile)
      query.append(name, 'one')
      query.append(name, 'two')
      expect((await login(query)).location?.searchParams.get('error')).toBe('invalid_request')
    }
  })

  test('a profile of another realm', async () => {
    const other = await profileAt(world, realms.accounts, provider.discoveryUrl)
    expect((await login(loginQuery(other))).location?.searchParams.get('error')).toBe('invalid_request')
    const right = await login(loginQuery(other, { client_id: 'account-management' }), realms.accounts)
    expect([right.status, right.location?.origin]).toEqual([303, provider.url])
  })
})

test('the sign-ins that one address begins are limited, and nothing is stored beyond the limit', async () => {
  const clock = new MovingClock()
  const own = await openWorld({ clock })
  const realm = (await realmsOf(own.admin)).customers
  const id = await profileAt(own, realm, provider.discoveryUrl)
  const start = async () => (await openIn(`${own.url}${loginPath(own, realm)}?${loginQuery(id)}`)).location
  useUp(own, 'signInStarts')
  expect((await start())?.searchParams.get('error')).toBe('temporarily_unavailable')
  expect((await own.sql('SELECT FROM sign_in_requests')).rowCount).toBe(0)
  clock.forward(rates.signInStarts.windowMs / 1000)
  expect((await start())?.origin).toBe(provider.url)
  await own.close()
})

test('a state of the maximum length is accepted', async () => {
  const reply = await login(loginQuery(profile, { state: 'é'.repeat(2048) }))
  expect([reply.status, reply.location?.origin]).toEqual([303, provider.url])
})

test('a missing realm, a missing store and a realm of another store are a 404', async () => {
  const other = (await realmsOf(world.other)).customers
  const nowhere = [
    loginPath(world, other),
    loginPath(world, randomUUID()),
    loginPath(world, 'x'),
    loginPath({ ...world, storeId: randomUUID() }, realms.customers),
    loginPath({ ...world, storeId: 'x' }, realms.customers),
    callbackPath(world, other, profile),
    callbackPath(world, realms.accounts, profile),
    callbackPath(world, realms.customers, randomUUID()),
    callbackPath(world, 'x', 'y'),
    `/oidc-idp/stores/${world.storeId}/authentication-realms/${other}/.well-known/openid-configuration`,
    `/oidc-idp/stores/x/authentication-realms/y/.well-known/openid-configuration`,
  ]
  for (const path of nowhere) {
    const { status, text } = await openIn(`${world.url}${path}?${loginQuery(profile)}`)
    expect([path, status, JSON.parse(text).errors[0].code]).toEqual([path, 404, 'not_found'])
  }
})

test('ids are accepted in upper case', async () => {
  const path = loginPath({ ...world, storeId: world.storeId.toUpperCase() }, realms.customers.toUpperCase())
  const { location } = await openIn(`${world.url}${path}?${loginQuery(profile.toUpperCase())}`)
  expect(location?.searchParams.get('redirect_uri')).toBe(
    `${world.url}${callbackPath(world, realms.customers, profile)}`,
  )
})

describe('the discovery document of a realm', () => {
  const at = (query = '') =>
    `/oidc-idp/stores/${world.storeId}/authentication-realms/${realms.customers}/.well-known/openid-configuration${query}`

  test('leads to the login', async () => {
    const { status, body } = await world.nobody.get(at())
    expect(status).toBe(200)
    const login = `${world.url}${loginPath(world, realms.customers)}`
    expect(body).toMatchObject({
      issuer: login.replace('/login', ''),
      authorization_endpoint: login,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    })
    for (const name of ['token_endpoint', 'jwks_uri']) expect(body[name]).toMatch(/^http:/)
  })

  test('leads to the login of the requested profile', async () => {
    const { body } = await world.nobody.get(at(`?elasticpath_commerce_cloud_profile_id=${profile}`))
    expect(body.authorization_endpoint).toMatch(new RegExp(`profile_id=${profile}$`))
    for (const id of [randomUUID(), 'x']) {
      const unknown = await world.nobody.get(at(`?elasticpath_commerce_cloud_profile_id=${id}`))
      expect(unknown.status).toBe(404)
    }
  })
})

describe('a discovery request', () => {
  const startAt = async (changes: object) => {
    const realmPath = `/v2/authentication-realms/${realms.customers}/oidc-profiles`
    const { body } = await world.admin.post(realmPath, oidcProfile(changes))
    return (await login(loginQuery(body.data.id))).location?.searchParams.get('error')
  }

  test.each([
    'http://id.example.com/.well-known/openid-configuration',
    'http://10.0.0.1/.well-known/openid-configuration',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost.example.com/',
    'http://[fe80::1]/',
    'http://127.0.0.1:1/',
    'https://127.0.0.1:1/',
  ])('is not sent to %s', async (discovery_url) => {
    expect(await startAt({ discovery_url })).toBe('temporarily_unavailable')
  })

  test('accepts no addresses without encryption', async () => {
    const other = await startForger()
    other.discovery = {
      jwks_uri: 'http://id.example.com/keys',
      authorization_endpoint: 'javascript:alert(1)',
    }
    expect(await startAt({ discovery_url: other.discoveryUrl })).toBe('temporarily_unavailable')
    await other.close()
  })

  const answers: [what: string, status: number, body: string, error: string][] = [
    ['an answer without end', 200, `{"issuer":"${'x'.repeat(600_000)}"}`, 'temporarily_unavailable'],
    ['a failure', 500, '{}', 'temporarily_unavailable'],
    ['nothing', 200, '', 'temporarily_unavailable'],
    ['something else', 200, '[]', 'temporarily_unavailable'],
    ['no issuer', 200, '{}', 'temporarily_unavailable'],
    [
      'an issuer that cannot be stored',
      200,
      '{"issuer":"https://id.example.com/\\u0000"}',
      'temporarily_unavailable',
    ],
    [
      'an endless issuer',
      200,
      `{"issuer":"https://${'x'.repeat(2000)}.example.com"}`,
      'temporarily_unavailable',
    ],
    ['a refusal', 404, '{}', 'temporarily_unavailable'],
    ['a redirect', 302, '{}', 'temporarily_unavailable'],
  ]
  test.each(answers)('%s', async (_what, status, body, error) => {
    const other = await startForger()
    other.override = (_path, response) => {
      response.writeHead(status, { 'content-type': 'application/json', location: 'http://169.254.169.254/' })
      response.end(body)
      return true
    }
    expect(await startAt({ discovery_url: other.discoveryUrl })).toBe(error)
    await other.close()
  })

  test('has a time limit', async () => {
    const other = await startForger()
    // It begins to answer, and never ends.
    other.override = (_path, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
      return true
    }
    const began = performance.now()
    expect(await startAt({ discovery_url: other.discoveryUrl })).toBe('temporarily_unavailable')
    expect(performance.now() - began).toBeLessThan(15_000)
    await other.close()
  })

  test('is also sent for a discovery URL with a slash at its end', async () => {
    const other = await startForger()
    const path = '/.well-known/openid-configuration'
    const refuse = (at: string) => (asked: string, response: ServerResponse) => {
      if (asked === at) response.writeHead(404).end()
      return asked === at
    }
    // Most providers answer without the slash, and some only with it.
    for (const missing of [`${path}/`, path]) {
      other.override = refuse(missing)
      expect(await startAt({ discovery_url: `${other.discoveryUrl}/` })).not.toBe('temporarily_unavailable')
    }
    await other.close()
  })

  test('is sent once for each discovery URL', async () => {
    const other = await startForger()
    const path = '/.well-known/openid-configuration'
    const id = await profileAt(world, realms.customers, other.discoveryUrl)
    for (let times = 0; times < 5; times++) expect((await login(loginQuery(id))).status).toBe(303)
    expect(other.countRequests(path)).toBe(1)
    await world.admin.put(`/v2/authentication-realms/${realms.customers}/oidc-profiles/${id}`, {
      data: { type: 'oidc-profile', discovery_url: `${other.url}/elsewhere${path}` },
    })
    expect((await login(loginQuery(id))).status).toBe(303)
    expect(other.countRequests(`/elsewhere${path}`)).toBe(1)
    await other.close()
  })
})
