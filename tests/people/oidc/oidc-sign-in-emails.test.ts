import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { passwordLink, passwordProfile, realmsOf, user } from '../../builders/people/realms.ts'
import { begin, callbackPath, firstSignIn, openIn, profileAt, redeem } from '../../builders/people/sign-in.ts'
import { inTheWay } from '../../support/in-the-way.ts'
import { type ForgingProvider, startForger } from '../../support/oidc-provider.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const header = 'EP-Account-Management-Authentication-Token'

let world: World
let provider: ForgingProvider
let realm: string
let profile: string
beforeAll(async () => {
  world = await openWorld()
  provider = await startForger()
  realm = (await realmsOf(world.admin)).accounts
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
  email = `person-${people}@example.com`
})

const usersPath = () => `/v2/authentication-realms/${realm}/user-authentication-info`
const existing = (address = email) => idOf(world.admin.post(usersPath(), user({ email: address })))
const usersOf = async (address = email) =>
  (await world.admin.get(`${usersPath()}?filter=eq(email,${address})`)).body.data as { id: string }[]
const policy = (duplicate_email_policy: string) =>
  world.admin.put(`/v2/authentication-realms/${realm}`, {
    data: { type: 'authentication-realm', duplicate_email_policy },
  })

const signIn = (claims: object, userinfo: object = {}) =>
  firstSignIn({ world, provider, realm, profile }, `${people}`, claims, userinfo)

const refused = { error: 'access_denied', id: undefined }

describe('with the policy allowed', () => {
  beforeEach(() => policy('allowed'))

  test.each([true, false, undefined])(
    'a new person becomes a new user, with the email_verified %j',
    async (email_verified) => {
      const id = await existing()
      const newcomer = await signIn({ email, email_verified })
      expect(newcomer.id).not.toBe(id)
      expect((await usersOf()).length).toBe(2)
    },
  )
})

describe('with the policy api_only', () => {
  beforeEach(() => policy('api_only'))

  test.each([true, 'true'])(
    'a new person joins the user with their email if email_verified is %j',
    async (email_verified) => {
      const id = await existing(email.toUpperCase())
      expect((await signIn({ email, email_verified })).id).toBe(id)
      expect((await usersOf()).length).toBe(1)
    },
  )

  test.each([false, undefined, null, 'false', 'TRUE', 1])(
    'a new person is refused if email_verified is %j',
    async (email_verified) => {
      await existing()
      expect(await signIn({ email, email_verified })).toEqual(refused)
      expect((await usersOf()).length).toBe(1)
    },
  )

  const sources: [what: string, claims: object, userinfo: object][] = [
    ['address', { email_verified: true }, { email_verified: false }],
    ['claim that it is verified', {}, { email: 'mallory@example.com', email_verified: true }],
  ]
  test.each(sources)(
    'a new person is refused if the %s comes from another source',
    async (what, claims, userinfo) => {
      await existing()
      const [tokenClaims, userinfoClaims] =
        what === 'address' ? [claims, { ...userinfo, email }] : [{ ...claims, email }, userinfo]
      expect(
        await signIn({ name: undefined, ...tokenClaims }, { name: 'Mallory', ...userinfoClaims }),
      ).toEqual(refused)
      expect((await usersOf()).length).toBe(1)
    },
  )

  describe('the owner takes over a user who only claimed the address', () => {
    const settle = (fields: object) =>
      world.admin.put('/v2/settings/account-authentication', body('account_authentication_settings', fields))
    const password = 'eleven horses by the river'
    const byPassword = (profileId: string, username: string) =>
      world.admin.post(
        '/v2/account-members/tokens',
        body('account_management_authentication_token', {
          authentication_mechanism: 'password',
          password_profile_id: profileId,
          username,
          password,
        }),
      )
    const passwords = () =>
      idOf(world.admin.post(`/v2/authentication-realms/${realm}/password-profiles`, passwordProfile()))
    beforeAll(() =>
      settle({
        enable_self_signup: true,
        auto_create_account_for_account_members: true,
        account_member_self_management: 'update_only',
      }),
    )

    test('in a sign-up', async () => {
      const profileId = await passwords()
      const signUp = body('account_management_authentication_token', {
        authentication_mechanism: 'self_signup',
        password_profile_id: profileId,
        username: 'stranger',
        password,
        name: 'Stranger',
        email,
      })
      const stranger = await world.shopper.post('/v2/account-members/tokens', signUp)
      expect(stranger.status, JSON.stringify(stranger.body)).toBe(201)
      const { id } = await signIn({ email, email_verified: true })
      expect(id).toBe(stranger.body.meta.account_member_id)
      expect((await byPassword(profileId, 'stranger')).status).toBe(401)
      const { token } = stranger.body.data[0]
      const reply = await world.shopper.get('/v2/accounts', { [header]: token })
      expect(reply.status).toBe(401)
      // Now it is known to be theirs: the next provider that says so adds a way in, and takes none away.
      const again = await signIn({ email, email_verified: true })
      expect(again.id).toBe(id)
      const links = await world.admin.get(`${usersPath()}/${id}/user-authentication-oidc-profile-info`)
      expect(links.body.data).toHaveLength(2)
    })

    test('as a member, unless an administrator has set the address', async () => {
      const profileId = await passwords()
      const [mallory, ada] = [await existing('mallory@example.com'), await existing(`ada-${email}`)]
      for (const id of [mallory, ada]) {
        const fields = { username: id, password, password_profile_id: profileId }
        await idOf(
          world.admin.post(
            `${usersPath()}/${id}/user-authentication-password-profile-info`,
            passwordLink(fields),
          ),
        )
        const home = await idOf(
          world.admin.post('/v2/accounts', body('account', { name: 'Home', legal_name: 'Home' })),
        )
        await idOf(
          world.admin.post(
            `/v2/accounts/${home}/account-memberships`,
            body('account_membership', { account_member_id: id }),
          ),
        )
      }
      const { token } = (await byPassword(profileId, mallory)).body.data[0]
      const claim = await world.shopper.put(`${usersPath()}/${mallory}`, user({ email }), { [header]: token })
      expect(claim.status, JSON.stringify(claim.body)).toBe(200)
      expect((await signIn({ email, email_verified: true })).id).toBe(mallory)
      expect((await byPassword(profileId, mallory)).status).toBe(401)

      expect((await signIn({ email: `ada-${email}`, email_verified: true })).id).toBe(ada)
      expect((await byPassword(profileId, ada)).status).toBe(201)
    })

    test('at a provider that had not verified it', async () => {
      await policy('allowed')
      const { id } = await signIn({ email, email_verified: false })
      await policy('api_only')
      expect((await signIn({ email, email_verified: true })).id).toBe(id)
      const links = await world.admin.get(`${usersPath()}/${id}/user-authentication-oidc-profile-info`)
      expect(links.body.data).toHaveLength(1)
    })
  })

  test('a new person is refused if two users have their email', async () => {
    await existing()
    await existing()
    expect(await signIn({ email, email_verified: true })).toEqual(refused)
    expect((await usersOf()).length).toBe(2)
  })

  test('a person whose email nobody has becomes a new user, whom the log names as the author', async () => {
    const { id } = await signIn({ email })
    expect(await usersOf()).toMatchObject([{ id }])
    const filter = `eq(resource_type,user-authentication-info):eq(resource_id,${id})`
    const { data } = (await world.admin.get(`/v2/personal-data/logs?filter=${filter}`)).body
    const created = data.find((entry: { event_type: string }) => entry.event_type.endsWith('created'))
    expect(created.initiator).toMatchObject({
      'access-token-id': id,
      'access-token-type': 'account-management-authentication-token',
      'access-token-email': email,
    })
  })

  test('the identity is linked to the user whom the person joins', async () => {
    const id = await existing()
    const path = `${usersPath()}/${id}`
    const { updated_at } = (await world.admin.get(path)).body.data.meta
    await signIn({ email, email_verified: true })
    const links = await world.admin.get(`${path}/user-authentication-oidc-profile-info`)
    expect(links.body.data).toMatchObject([{ issuer: provider.url, oidc_profile_id: profile }])
    expect((await world.admin.get(path)).body.data.meta.updated_at > updated_at).toBe(true)
  })
})

describe('with the policy disallowed', () => {
  beforeEach(() => policy('disallowed'))

  test('a second user with an email is refused, even if the provider has verified it', async () => {
    await existing(email.toUpperCase())
    expect(await signIn({ email, email_verified: true })).toEqual(refused)
    expect((await usersOf()).length).toBe(1)
  })

  test('concurrent first sign-ins of one person make one user', async () => {
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => begin(world, realm, profile, { client_id: 'account-management' })),
    )
    const sub = `${people}`
    const times = { iat: 0, exp: 4_000_000_000 }
    provider.claims = { iss: provider.url, aud: 'shop', sub, ...times, name: 'Ada Marsh', email }
    const replies = begun.map(async ({ request, verifier }) => {
      const query = `state=${request.get('state')}&code=${request.get('nonce')}`
      const { location } = await openIn(`${world.url}${callbackPath(world, realm, profile)}?${query}`)
      return (await redeem(world, realm, location?.searchParams.get('code') ?? null, verifier)).id
    })
    expect(new Set(await Promise.all(replies)).size).toBe(1)
  })

  test('the first user with an email is created', async () => {
    expect((await signIn({ email })).id).toEqual(expect.any(String))
  })

  test('the owner takes over a user who only claimed the email', async () => {
    const { id } = await signIn({ email, email_verified: false })
    expect(await signIn({ email, email_verified: false })).toEqual(refused)
    expect((await signIn({ email, email_verified: true })).id).toBe(id)
    const links = await world.admin.get(`${usersPath()}/${id}/user-authentication-oidc-profile-info`)
    expect(links.body.data).toHaveLength(1)
    // From now on it is someone's.
    expect(await signIn({ email, email_verified: true })).toEqual(refused)
  })
})

describe('a person who only claims an address', () => {
  const claimants = async (count: number) => {
    await policy('allowed')
    const ids: string[] = []
    for (let i = 0; i < count; i++) ids.push((await signIn({ email, email_verified: false })).id as string)
    await policy('api_only')
    return ids
  }
  const linksOf = async (id: string | undefined) =>
    (await world.admin.get(`${usersPath()}/${id}/user-authentication-oidc-profile-info`)).body
      .data as object[]

  test.each(['before', 'after'])(
    'does not lock its owner out: %s an administrator gives it to the owner',
    async (when) => {
      const early = when === 'before' ? await claimants(2) : []
      const owner = await existing()
      const all = when === 'before' ? early : await claimants(2)
      await policy('api_only')
      expect((await signIn({ email, email_verified: true })).id).toBe(owner)
      // They are no one's way in, and keep what is theirs.
      for (const id of all) expect(await linksOf(id)).toHaveLength(1)
    },
  )

  test('locks nobody out together with others: the owner takes over the first user, and the others stay', async () => {
    const [first, ...others] = await claimants(3)
    expect((await signIn({ email, email_verified: true })).id).toBe(first)
    expect(await linksOf(first)).toHaveLength(1)
    for (const id of others) expect(await linksOf(id)).toHaveLength(1)
    expect((await signIn({ email, email_verified: true })).id).toBe(first)
  })

  test('and gives it up while its owner signs in keeps their user, and the owner becomes a new one', async () => {
    const [mallory = ''] = await claimants(1)
    const owner = await inTheWay(
      world,
      // What a member's own change of address writes, and not committed yet: the owner still sees the claim.
      [
        [
          `UPDATE user_authentication_infos SET version = version + 1,
             doc = jsonb_set(doc::jsonb, '{email}', to_jsonb($2::text))::json WHERE id = $1`,
          [mallory, `elsewhere-${email}`],
        ],
      ],
      () => signIn({ email, email_verified: true }),
    )
    expect(owner.error).toBeUndefined()
    expect(owner.id).not.toBe(mallory)
    expect((await usersOf()).map(({ id }) => id)).toEqual([owner.id])
    expect(await linksOf(mallory)).toHaveLength(1)
    const { rows } = await world.sql('SELECT hidden FROM user_authentication_infos WHERE id = $1', [mallory])
    expect(rows[0].hidden).toMatchObject({ email_claimed: true })
  })
})

describe('a new user', () => {
  beforeEach(() => policy('allowed'))
  const shownOf = async (id: string | undefined) => (await world.admin.get(`${usersPath()}/${id}`)).body.data

  const names: [what: string, claims: object, shown: object][] = [
    ['has the name claim as name', { name: 'Ada Marsh' }, { name: 'Ada Marsh' }],
    [
      'has a name of the given and family name',
      { name: undefined, given_name: 'Ada', family_name: 'Marsh' },
      { name: 'Ada Marsh' },
    ],
    ['has the preferred username as name', { name: undefined, preferred_username: 'ada' }, { name: 'ada' }],
    ['has no name that cannot be stored', { name: 'a\0b', preferred_username: 'ada' }, { name: 'ada' }],
    ['has no name that is too long', { name: 'x'.repeat(513), preferred_username: 'ada' }, { name: 'ada' }],
    [
      'has no name that is not a text',
      { name: { first: 'Ada' }, preferred_username: 'ada' },
      { name: 'ada' },
    ],
  ]
  test.each(names)('%s', async (_what, claims, shown) => {
    expect(await shownOf((await signIn({ email, ...claims })).id)).toMatchObject(shown)
  })

  test('has the name of userinfo if the ID token has none', async () => {
    const { id } = await signIn({ name: undefined }, { email, name: 'From userinfo', family_name: 'Info' })
    expect(await shownOf(id)).toMatchObject({ email, name: 'From userinfo', family_name: 'Info' })
  })

  test('is refused if userinfo is about someone else', async () => {
    expect((await signIn({ name: undefined }, { sub: 'someone else', email })).error).toBe(
      'temporarily_unavailable',
    )
  })

  test.each(['', 'no address', 'a\0b@example.com', `${'x'.repeat(320)}@example.com`, 7, null, ['a@b.c']])(
    'is refused with the email address %j',
    async (address) => {
      expect(await signIn({ email: address })).toEqual(refused)
    },
  )
})

test('a new member gets an account if the store has set that', async () => {
  await policy('allowed')
  await world.admin.put('/v2/settings/account-authentication', {
    data: { type: 'account_authentication_settings', auto_create_account_for_account_members: true },
  })
  const { id } = await signIn({ email, name: 'Riverside' })
  const { body } = await world.admin.get(`/v2/account-members/${id}/account-memberships`)
  expect(body.data.length).toBe(1)
})

test('concurrent first sign-ins of several people with one email make one user', async () => {
  await policy('disallowed')
  const begun = await Promise.all(
    Array.from({ length: 4 }, () => begin(world, realm, profile, { client_id: 'account-management' })),
  )
  provider.claims = { iss: provider.url, aud: 'shop', iat: 0, exp: 4_000_000_000, name: 'Ada', email }
  const { forge } = provider
  provider.forge = (claims, keys) => forge({ ...claims, sub: claims.nonce as string }, keys)
  const replies = await Promise.all(
    begun.map(({ request }) => {
      const query = `state=${request.get('state')}&code=${request.get('nonce')}`
      return openIn(`${world.url}${callbackPath(world, realm, profile)}?${query}`)
    }),
  )
  const codes = replies.map(({ location }) => location?.searchParams.get('code')).filter(Boolean)
  expect([codes.length, (await usersOf()).length]).toEqual([1, 1])
})
