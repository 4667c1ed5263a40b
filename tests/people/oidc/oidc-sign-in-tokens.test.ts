import { createHmac } from 'node:crypto'
import { exportJWK, type JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oidcLink, realmsOf, user } from '../../builders/people/realms.ts'
import { begin, callbackPath, openIn, profileAt, redeem } from '../../builders/people/sign-in.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { type Forge, type ForgingProvider, newKey, signed, startForger } from '../../support/oidc-provider.ts'
import { idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const clock = new MovingClock()
let world: World
let provider: ForgingProvider
let realm: string
let profile: string
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '86400' } })
  provider = await startForger()
  realm = (await realmsOf(world.admin)).customers
  profile = await profileAt(world, realm, provider.discoveryUrl)
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

const nowS = () => Math.floor(clock.now().getTime() / 1000)
let people = 0
beforeEach(() => {
  people += 1
  provider.discovery = {}
  provider.userinfo = {}
  provider.override = undefined
  provider.forge = (claims, keys) => signed(claims, keys.published)
  provider.claims = {
    iss: provider.url,
    sub: `person-${people}`,
    aud: 'shop',
    iat: nowS(),
    exp: nowS() + 300,
    email: `person-${people}@example.com`,
    name: 'A Person',
  }
})

/** Comes back from the provider, with the code that it knows the sign-in by. */
async function comeBack(at: string, request: URLSearchParams, more: Record<string, string> = {}) {
  const code = request.get('nonce') as string
  const query = new URLSearchParams({ state: request.get('state') as string, code, ...more })
  const reply = await openIn(`${world.url}${callbackPath(world, realm, at)}?${query}`)
  const answer = reply.location?.searchParams as URLSearchParams
  return { status: reply.status, error: answer.get('error'), code: answer.get('code') }
}

/** Signs in with a forged token. */
async function signIn(forge?: Forge, more: Record<string, string> = {}, at = profile) {
  const { request, verifier } = await begin(world, realm, at)
  if (forge) provider.forge = forge
  return { ...(await comeBack(at, request, more)), verifier }
}

const users = async () =>
  (await world.sql('SELECT count(*)::int AS n FROM user_authentication_infos')).rows[0].n
const changed =
  (change: Record<string, unknown>): Forge =>
  (claims, keys) =>
    signed({ ...claims, ...change } as JWTPayload, keys.published)
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a valid ID token signs in', async () => {
  const { status, error, code, verifier } = await signIn()
  expect([status, error]).toEqual([307, null])
  expect((await redeem(world, realm, code, verifier)).doc.email).toBe(provider.claims.email)
})

describe('the claims of an ID token', () => {
  const wrong: [what: string, forge: Forge][] = [
    ['another nonce', changed({ nonce: 'of someone else' })],
    ['no nonce', changed({ nonce: undefined })],
    ['another client', changed({ aud: 'another shop' })],
    ['no client', changed({ aud: undefined })],
    ['several clients, and no authorized party', changed({ aud: ['shop', 'another shop'] })],
    ['another authorized party', changed({ aud: ['shop', 'another shop'], azp: 'another shop' })],
    ['one client, and another authorized party', changed({ azp: 'another shop' })],
    ['another issuer', changed({ iss: 'https://other.example.com' })],
    ['a similar issuer', (claims, keys) => signed({ ...claims, iss: `${claims.iss}/` }, keys.published)],
    ['no issuer', changed({ iss: undefined })],
    ['no subject', changed({ sub: undefined })],
    ['an empty subject', changed({ sub: '' })],
    ['a subject that is too long', changed({ sub: 'x'.repeat(256) })],
    ['a subject that cannot be stored', changed({ sub: 'a\0b' })],
    ['no expiry', changed({ exp: undefined })],
    ['no time of issue', changed({ iat: undefined })],
    [
      'a time of issue in the future',
      (claims, keys) => signed({ ...claims, iat: nowS() + 90 }, keys.published),
    ],
    ['an expiry in the past', (claims, keys) => signed({ ...claims, exp: nowS() - 70 }, keys.published)],
    ['a beginning in the future', (claims, keys) => signed({ ...claims, nbf: nowS() + 90 }, keys.published)],
  ]
  test.each(wrong)('are refused with %s', async (_what, forge) => {
    const before = await users()
    expect(await signIn(forge)).toMatchObject({ status: 307, error: 'temporarily_unavailable', code: null })
    expect(await users()).toBe(before)
  })

  const right: [what: string, forge: Forge][] = [
    [
      'a clock that is a little behind',
      (claims, keys) => signed({ ...claims, exp: nowS() - 30 }, keys.published),
    ],
    [
      'a clock that is a little ahead',
      (claims, keys) => signed({ ...claims, iat: nowS() + 30 }, keys.published),
    ],
    ['another client beside ours', changed({ aud: ['shop', 'another shop'], azp: 'shop' })],
  ]
  test.each(right)('are accepted with %s', async (_what, forge) => {
    expect(await signIn(forge)).toMatchObject({ error: null, code: expect.any(String) })
  })

  test('expire by the server’s clock', async () => {
    const exp = nowS() + 300
    clock.forward(400)
    expect((await signIn(changed({ exp }))).error).toBe('temporarily_unavailable')
  })
})

describe('the signature of an ID token', () => {
  const header = (more: object) => base64({ typ: 'JWT', ...more })
  const hmac = (alg: string, claims: JWTPayload, secret: string) => {
    const text = `${header({ alg, kid: 'published' })}.${base64(claims)}`
    return `${text}.${createHmac(alg.replace('HS', 'sha'), secret).update(text).digest('base64url')}`
  }
  const wrong: [what: string, forge: Forge][] = [
    ['is absent, with the algorithm none', (claims) => `${header({ alg: 'none' })}.${base64(claims)}.`],
    ['is absent, with the algorithm NoNe', (claims) => `${header({ alg: 'NoNe' })}.${base64(claims)}.`],
    ['is cut off', async (claims, keys) => (await signed(claims, keys.published)).replace(/[^.]+$/, '')],
    [
      'is made with the public key as a secret',
      (claims, { publishedPem }) => hmac('HS256', claims, publishedPem),
    ],
    ['is made with the client’s secret', (claims) => hmac('HS256', claims, 'the provider knows it')],
    ['is made with a longer hash of it', (claims) => hmac('HS512', claims, 'the provider knows it')],
    ['is made with another key of that name', (claims, keys) => signed(claims, keys.unpublished)],
    ['is made with an unknown key', (claims, keys) => signed(claims, keys.unpublished, { kid: 'unknown' })],
    [
      'is of a key that it brings itself',
      async (claims, keys) => {
        const jwk = await exportJWK(keys.unpublished.publicKey)
        return signed(claims, keys.unpublished, { jwk })
      },
    ],
    [
      'is of other claims',
      async (claims, keys) => {
        const [head, , signature] = (await signed(claims, keys.published)).split('.')
        return `${head}.${base64({ ...claims, sub: 'someone else' })}.${signature}`
      },
    ],
    ['is all there is', () => 'x'],
  ]
  test.each(wrong)('is refused when it %s', async (_what, forge) => {
    const before = await users()
    expect(await signIn(forge)).toMatchObject({ status: 307, error: 'temporarily_unavailable', code: null })
    expect(await users()).toBe(before)
  })

  const bits = ['256', '384', '512']
  const algorithms = [
    ...['RS', 'PS', 'ES'].flatMap((kind) => bits.map((size) => kind + size)),
    'EdDSA',
    'Ed25519',
  ]
  test.each(algorithms)('is accepted with %s', async (alg) => {
    clock.forward(601)
    provider.claims = { ...provider.claims, iat: nowS(), exp: nowS() + 300 }
    provider.discovery = { id_token_signing_alg_values_supported: ['RS256', alg] }
    const key = await newKey('published', alg)
    const jwk = { ...(await exportJWK(key.publicKey)), kid: key.kid, alg, use: 'sig' }
    provider.override = (path, response) => {
      if (path !== '/keys') return false
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
      return true
    }
    expect(await signIn((claims) => signed(claims, key))).toMatchObject({
      error: null,
      code: expect.any(String),
    })
  })

  test('makes the server fetch the keys again only for a new key', async () => {
    await signIn()
    const before = provider.countRequests('/keys')
    await signIn()
    expect(provider.countRequests('/keys')).toBe(before)
    await signIn((claims, keys) => signed(claims, keys.unpublished, { kid: 'unknown' }))
    expect(provider.countRequests('/keys')).toBe(before + 1)
    clock.forward(601)
    provider.claims = { ...provider.claims, iat: nowS(), exp: nowS() + 300 }
    await signIn()
    expect(provider.countRequests('/keys')).toBe(before + 2)
  })
})

describe('the provider’s response', () => {
  const answers: [what: string, path: string, status: number, body: string, error: string][] = [
    ['keys that are not a list', '/keys', 200, '{"keys":"none"}', 'temporarily_unavailable'],
    ['keys that are not JSON', '/keys', 200, '<html>', 'temporarily_unavailable'],
    ['no keys', '/keys', 404, '', 'temporarily_unavailable'],
    ['endless keys', '/keys', 200, ' '.repeat(600_000), 'temporarily_unavailable'],
    ['no token', '/token', 200, '{"access_token":"x","token_type":"Bearer"}', 'temporarily_unavailable'],
    ['a refusal', '/token', 400, '{"error":"invalid_grant"}', 'temporarily_unavailable'],
    ['a page', '/token', 200, '<html>', 'temporarily_unavailable'],
    ['a failure', '/token', 502, '', 'temporarily_unavailable'],
  ]
  test.each(answers)('is an error of the provider if it is %s', async (_what, at, status, body, error) => {
    clock.forward(601)
    provider.override = (path, response) => {
      if (path !== at) return false
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      return true
    }
    const iat = nowS()
    expect((await signIn(changed({ iat, exp: iat + 300 }))).error).toBe(error)
  })

  test('has its error replaced if OpenID Connect does not define it', async () => {
    expect((await signIn(undefined, { error: '<script>' })).error).toBe('access_denied')
    expect((await signIn(undefined, { error: 'login_required' })).error).toBe('login_required')
  })

  test('must name the right issuer if it names one', async () => {
    expect((await signIn(undefined, { iss: 'https://other.example.com' })).error).toBe(
      'temporarily_unavailable',
    )
    expect((await signIn(undefined, { iss: provider.url })).error).toBeNull()
  })
})

describe('a person', () => {
  test('is identified by issuer and subject together', async () => {
    const mine = await signIn()
    const me = await redeem(world, realm, mine.code, mine.verifier)
    clock.forward(601)
    provider.discovery = { issuer: `${provider.url}/other` }
    const claims = { ...provider.claims, iss: `${provider.url}/other`, iat: nowS(), exp: nowS() + 300 }
    provider.claims = claims
    const theirs = await signIn()
    const them = await redeem(world, realm, theirs.code, theirs.verifier)
    expect(them.id).not.toBe(me.id)
    expect(them.doc.email).toBe(me.doc.email)
    clock.forward(601)
  })

  test('is another user at another profile', async () => {
    const { code, verifier } = await signIn()
    const me = await redeem(world, realm, code, verifier)
    const other = await signIn(undefined, {}, await profileAt(world, realm, provider.discoveryUrl))
    expect((await redeem(world, realm, other.code, other.verifier)).id).not.toBe(me.id)
  })

  test('becomes one user in concurrent first sign-ins', async () => {
    const before = await users()
    const begun = await Promise.all(Array.from({ length: 6 }, () => begin(world, realm, profile)))
    const replies = await Promise.all(begun.map(({ request }) => comeBack(profile, request)))
    const owners = await Promise.all(
      replies.map(({ code }, i) => redeem(world, realm, code, begun[i]?.verifier as string)),
    )
    expect(new Set(owners.map(({ id }) => id)).size).toBe(1)
    expect(await users()).toBe(before + 1)
  })

  test('is the user that an administrator linked, even before the issuer was known', async () => {
    // As some do, this one ends its name with a slash, which its address does not tell.
    const other = await startForger()
    other.discovery = { issuer: `${other.url}/` }
    const id = await profileAt(world, realm, other.discoveryUrl)
    const usersPath = `/v2/authentication-realms/${realm}/user-authentication-info`
    const linked = await idOf(world.admin.post(usersPath, user()))
    const link = oidcLink({ subject: 'ada', oidc_profile_id: id })
    const linkId = await idOf(
      world.admin.post(`${usersPath}/${linked}/user-authentication-oidc-profile-info`, link),
    )
    const { request, verifier } = await begin(world, realm, id)
    const profilePath = `/v2/authentication-realms/${realm}/oidc-profiles/${id}`
    expect((await world.admin.get(profilePath)).body.data.meta.issuer).toBe(`${other.url}/`)
    const shown = await world.admin.get(
      `${usersPath}/${linked}/user-authentication-oidc-profile-info/${linkId}`,
    )
    expect(shown.body.data.issuer).toBe(`${other.url}/`)
    other.claims = { iss: `${other.url}/`, sub: 'ada', aud: 'shop', iat: nowS(), exp: nowS() + 300 }
    const { code } = await comeBack(id, request)
    expect((await redeem(world, realm, code, verifier)).id).toBe(linked)
    await other.close()
  })

  test.each([
    ['with', '', '/'],
    ['without', '/', ''],
  ])(
    'is the user who is linked %s a slash that the issuer of the provider has not, or has',
    async (_, reported, linked) => {
      const other = await startForger()
      other.discovery = { issuer: other.url + reported }
      const id = await profileAt(world, realm, other.discoveryUrl)
      const { request, verifier } = await begin(world, realm, id)
      const usersPath = `/v2/authentication-realms/${realm}/user-authentication-info`
      const linkedId = await idOf(world.admin.post(usersPath, user()))
      const link = oidcLink({ subject: 'ada', oidc_profile_id: id, issuer: other.url + linked })
      await idOf(world.admin.post(`${usersPath}/${linkedId}/user-authentication-oidc-profile-info`, link))
      other.claims = { iss: other.url + reported, sub: 'ada', aud: 'shop', iat: nowS(), exp: nowS() + 300 }
      const { code } = await comeBack(id, request)
      expect((await redeem(world, realm, code, verifier)).id).toBe(linkedId)
      await other.close()
    },
  )

  test('is the user who is linked to the issuer that the provider reports, not one of the derived issuer', async () => {
    const other = await startForger()
    const issuer = `${other.url}/tenant`
    other.discovery = { issuer }
    const id = await profileAt(world, realm, other.discoveryUrl)
    const usersPath = `/v2/authentication-realms/${realm}/user-authentication-info`
    const ids: string[] = []
    for (const fields of [{}, { issuer: `${issuer}/` }]) {
      ids.push(await idOf(world.admin.post(usersPath, user())))
      const link = oidcLink({ subject: 'ada', oidc_profile_id: id, ...fields })
      await idOf(world.admin.post(`${usersPath}/${ids.at(-1)}/user-authentication-oidc-profile-info`, link))
    }
    const { request, verifier } = await begin(world, realm, id)
    other.claims = { iss: issuer, sub: 'ada', aud: 'shop', iat: nowS(), exp: nowS() + 300 }
    const { code } = await comeBack(id, request)
    expect((await redeem(world, realm, code, verifier)).id).toBe(ids[1])
    await other.close()
  })

  test('is, of two users who were linked by both spellings, the one with the spelling of the provider', async () => {
    const usersPath = `/v2/authentication-realms/${realm}/user-authentication-info`
    const ids: string[] = []
    for (const issuer of ['https://id.example.com', provider.url]) {
      const id = await idOf(world.admin.post(usersPath, user()))
      const link = oidcLink({ subject: `person-${people}`, oidc_profile_id: profile, issuer })
      await idOf(world.admin.post(`${usersPath}/${id}/user-authentication-oidc-profile-info`, link))
      ids.push(id)
    }
    // As links were stored while both spellings were accepted.
    await world.sql(
      `UPDATE user_authentication_oidc_profile_infos SET doubled = $2 || ' ' || subject,
         doc = jsonb_set(doc::jsonb, '{issuer}', to_jsonb($2::text))::json
       WHERE user_authentication_info_id = $1`,
      [ids[0], `${provider.url}/`],
    )
    const { code, verifier } = await signIn()
    expect((await redeem(world, realm, code, verifier)).id).toBe(ids[1])
  })
})
