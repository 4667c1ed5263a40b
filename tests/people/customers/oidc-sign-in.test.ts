import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { begin, callbackPath, follow, openIn, profileAt, redirectUri } from '../../builders/people/sign-in.ts'
import { type OidcProvider, startProvider } from '../../support/oidc-provider.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const people = Object.fromEntries(
  ['ada', 'bob', 'cy', 'dora', 'eve', 'finn', 'gil'].map((name) => [
    name,
    { email: `${name}@example.com`, email_verified: true, name },
  ]),
)

let world: World
let provider: OidcProvider
let realm: string
let profile: string
beforeAll(async () => {
  world = await openWorld()
  provider = await startProvider(people)
  realm = (await realmsOf(world.admin)).customers
  profile = await profileAt(world, realm, provider.discoveryUrl)
  await provider.register({
    clientId: 'shop',
    clientSecret: 'the provider knows it',
    redirectUris: [`${world.url}${callbackPath(world, realm, profile)}`],
  })
})
afterAll(async () => {
  await provider.close()
  await world.close()
})

/** A sign-in at the provider, and what the storefront sends for a token. */
async function comeBack(who: string) {
  provider.signInAs(who)
  const { verifier, location } = await begin(world, realm, profile)
  const { location: back } = await openIn(await follow(location, world.url))
  return {
    authentication_mechanism: 'oidc',
    oauth_authorization_code: back?.searchParams.get('code'),
    oauth_redirect_uri: redirectUri,
    oauth_code_verifier: verifier,
  }
}
const redeem = (fields: object, headers = {}) => world.shopper.post(tokens, body('token', fields), headers)
const tokenHeader = (token: string) => ({ 'x-moltin-customer-token': token })
const userPath = (id: string) => `/v2/authentication-realms/${realm}/user-authentication-info/${id}`
const linksPath = (id: string) => `${userPath(id)}/user-authentication-oidc-profile-info`
const linkOf = async (id: string) =>
  `${linksPath(id)}/${(await world.admin.get(linksPath(id))).body.data[0].id}`
const link = (fields: object) => body('user_authentication_oidc_profile_info', fields)

describe('a customer who signs in at a provider', () => {
  test('is created at the first sign-in, with the id of the user, and is the same customer from then on', async () => {
    const first = await redeem(await comeBack('ada'))
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    const { customer_id, token } = first.body.data
    const reply = await world.shopper.get(`${customers}/${customer_id}`, tokenHeader(token))
    expect(reply.body.data).toMatchObject({ name: 'ada', email: 'ada@example.com', password: false })
    expect((await world.admin.get(userPath(customer_id))).body.data.email).toBe('ada@example.com')

    const again = await redeem(await comeBack('ada'))
    expect([again.status, again.body.data.customer_id]).toEqual([200, customer_id])
    expect((await world.admin.get(`${customers}?filter=eq(email,ada@example.com)`)).body.data).toHaveLength(1)
  })

  test('is created once by two concurrent first sign-ins', async () => {
    const codes = [await comeBack('bob'), await comeBack('bob')]
    const replies = await Promise.all(codes.map((code) => redeem(code)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(replies.map((reply) => reply.body.data.customer_id)).size).toBe(1)
  })

  test('does not become the customer who has their email address', async () => {
    const id = await idOf(world.admin.post(customers, customer({ email: 'CY@example.com', password })))
    const refused = await redeem(await comeBack('cy'))
    expect([refused.status, refused.body.errors[0].source]).toEqual([409, 'data.email'])
    expect(JSON.stringify(refused.body)).not.toContain(id)
    const theirs = await redeem({ email: 'cy@example.com', password })
    expect([theirs.status, theirs.body.data.customer_id]).toEqual([200, id])
  })

  test('may send an old token with the sign-in', async () => {
    const stale = tokenHeader('a token of long ago')
    expect((await redeem(await comeBack('ada'), stale)).status).toBe(200)
    await idOf(world.admin.post(customers, customer({ email: 'old@example.com', password })))
    expect((await redeem({ email: 'old@example.com', password }, stale)).status).toBe(200)
    expect((await world.shopper.get(customers, stale)).status).toBe(401)
  })
})

describe('a code', () => {
  test('that was used is refused, and its reuse with the right verifier ends the tokens of its user', async () => {
    const code = await comeBack('ada')
    const { customer_id, token } = (await redeem(code)).body.data
    const own = async () =>
      (await world.shopper.get(`${customers}/${customer_id}`, tokenHeader(token))).status
    expect((await redeem({ ...code, oauth_code_verifier: 'x'.repeat(43) })).status).toBe(401)
    expect((await redeem({ ...code, oauth_redirect_uri: 'https://shop.example.com/' })).status).toBe(401)
    expect(await own()).toBe(200)
    expect((await redeem(code)).status).toBe(401)
    expect(await own()).toBe(401)

    const next = (await redeem(await comeBack('ada'))).body.data
    expect((await redeem(code)).status).toBe(401)
    const path = `${customers}/${next.customer_id}`
    expect((await world.shopper.get(path, tokenHeader(next.token))).status).toBe(200)
  })

  test('that was sent with a wrong verifier ends no tokens, however often it is sent', async () => {
    const { customer_id, token } = (await redeem(await comeBack('ada'))).body.data
    const code = await comeBack('ada')
    expect((await redeem({ ...code, oauth_code_verifier: 'x'.repeat(43) })).status).toBe(401)
    expect([(await redeem(code)).status, (await redeem(code)).status]).toEqual([401, 401])
    const path = `${customers}/${customer_id}`
    expect((await world.shopper.get(path, tokenHeader(token))).status).toBe(200)
  })

  test.each([
    ['another verifier', { oauth_code_verifier: 'x'.repeat(43) }],
    ['another redirect URI', { oauth_redirect_uri: 'https://shop.example.com/' }],
  ])('is refused with %s, and is then used up', async (_what, changes) => {
    const code = await comeBack('ada')
    expect((await redeem({ ...code, ...changes })).status).toBe(401)
    expect((await redeem(code)).status).toBe(401)
  })

  test('is refused in another store', async () => {
    expect((await world.other.post(tokens, body('token', await comeBack('ada')))).status).toBe(401)
  })

  test('signs in one of the concurrent requests that send it', async () => {
    const code = await comeBack('dora')
    const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(code)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
  })
})

describe('the tokens of a customer end', () => {
  const cases: [what: string, act: (id: string) => Promise<{ status: number }>][] = [
    [
      'with another identity',
      async (id) => {
        const { body: other } = await world.admin.post(
          `/v2/authentication-realms/${realm}/oidc-profiles`,
          body('oidc-profile', {
            name: 'Another',
            discovery_url: 'https://id.example.com/.well-known/openid-configuration',
            client_id: 'shop',
            client_secret: 'secret',
          }),
        )
        return world.admin.post(
          linksPath(id),
          link({ oidc_profile_id: other.data.id, subject: randomUUID() }),
        )
      },
    ],
    [
      'with another subject',
      async (id) => world.admin.put(await linkOf(id), link({ subject: randomUUID() })),
    ],
    [
      'with another issuer',
      async (id) => world.admin.put(await linkOf(id), link({ issuer: 'https://id2.example.com' })),
    ],
    ['with the link', async (id) => world.admin.delete(await linkOf(id))],
    ['with the user', (id) => world.admin.delete(userPath(id))],
  ]
  test.each(cases)('%s', async (_what, act) => {
    const name = randomUUID()
    Object.assign(people, { [name]: { email: `${name}@example.com`, email_verified: true, name } })
    const { customer_id } = (await redeem(await comeBack(name))).body.data
    // By a password they are the same person, and signed out alike.
    const credentials = { email: `${name}@example.com`, password }
    await world.admin.put(`${customers}/${customer_id}`, body('customer', { password }))
    const { token } = (await redeem(await comeBack(name))).body.data
    const second = (await redeem(credentials)).body.data.token
    const pending = await comeBack(name)
    const see = async (token: string) =>
      (await world.shopper.get(`${customers}/${customer_id}`, tokenHeader(token))).status
    expect(await Promise.all([token, second].map(see))).toEqual([200, 200])
    expect((await act(customer_id)).status).toBeLessThan(300)
    expect(await Promise.all([token, second].map(see))).toEqual([401, 401])
    expect((await redeem(pending)).status).toBe(401)
    expect(await see((await redeem(credentials)).body.data.token)).toBe(200)
  })
})

test('the tokens of a deleted customer stay invalid after the customer signs in again', async () => {
  const first = (await redeem(await comeBack('finn'))).body.data
  expect((await world.admin.delete(`${customers}/${first.customer_id}`)).status).toBe(204)
  const second = (await redeem(await comeBack('finn'))).body.data
  expect(second.customer_id).toBe(first.customer_id)
  const see = async ({ token }: { token: string }) =>
    (await world.shopper.get(`${customers}/${first.customer_id}`, tokenHeader(token))).status
  expect([await see(first), await see(second)]).toEqual([401, 200])
  expect((await world.admin.delete(`${customers}/${first.customer_id}`)).status).toBe(204)
})

describe('guessing the password of a customer', () => {
  beforeEach(() => world.sql('DELETE FROM attempts'))
  const guess = (email: string, password = 'a wrong password') => redeem({ email, password })

  test.each(['finn@example.com', 'nobody@example.com'])(
    'is slowed down, whether the customer exists or not: %s',
    async (email) => {
      if (email.startsWith('finn')) await idOf(world.admin.post(customers, customer({ email, password })))
      for (let i = 0; i < 5; i++) expect((await guess(i % 2 ? email : email.toUpperCase())).status).toBe(401)
      const { status, headers, body: answer } = await guess(email, password)
      expect([status, answer.errors[0].code]).toEqual([429, 'rate_limited'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(800)
      // Only who is guessed at: others sign in, and so do they at their provider.
      expect((await guess('cy@example.com', password)).status).toBe(200)
    },
  )

  test('is slowed down as much when many guesses arrive at once', async () => {
    const email = 'gil@example.com'
    await idOf(world.admin.post(customers, customer({ email, password })))
    const replies = await Promise.all(Array.from({ length: 30 }, () => guess(email)))
    expect(replies.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
    expect((await guess(email, password)).status).toBe(429)
  })
})
