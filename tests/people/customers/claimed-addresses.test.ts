import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { begin, callbackPath, openIn, profileAt, redirectUri } from '../../builders/people/sign-in.ts'
import { inTheWay, untilWaiting } from '../../support/in-the-way.ts'
import { type ForgingProvider, startForger } from '../../support/oidc-provider.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/** Whoever is known to have an address gets it, although somebody else says that it is theirs. */

interface Shop {
  readonly world: World
  readonly provider: ForgingProvider
  readonly realm: string
  readonly profile: string
}

let lax: Shop
let strict: Shop
beforeAll(async () => {
  const shop = async (env: Record<string, string>): Promise<Shop> => {
    const [world, provider] = [await openWorld({ env }), await startForger()]
    const realm = (await realmsOf(world.admin)).customers
    return { world, provider, realm, profile: await profileAt(world, realm, provider.discoveryUrl) }
  }
  ;[lax, strict] = await Promise.all([shop({}), shop({ SUTLER_STRICT_PASSWORDS: 'true' })])
})
afterAll(async () => {
  for (const { provider, world } of [lax, strict]) {
    await provider.close()
    await world.close()
  }
})

type Headers = Record<string, string>
const taken = /^[0-9a-f-]{36}@address-taken\.invalid$/
let people = 0
const anAddress = () => {
  people += 1
  return `person-${people}@example.com`
}

/** A first sign-in at the provider, by which someone is a user; and what makes them a customer. */
async function comeBack(
  { world, provider, realm, profile }: Shop,
  claims: object,
): Promise<() => Promise<Reply>> {
  const { request, verifier } = await begin(world, realm, profile)
  const nonce = request.get('nonce') as string
  const times = { iat: 0, exp: 4_000_000_000 }
  provider.claims = { iss: provider.url, aud: 'shop', sub: nonce, ...times, name: 'Ada Marsh', ...claims }
  const query = `state=${request.get('state')}&code=${nonce}`
  const { location } = await openIn(`${world.url}${callbackPath(world, realm, profile)}?${query}`)
  const fields = {
    authentication_mechanism: 'oidc',
    oauth_authorization_code: location?.searchParams.get('code'),
    oauth_redirect_uri: redirectUri,
    oauth_code_verifier: verifier,
  }
  return () => world.shopper.post(tokens, body('token', fields))
}
const signIn = async (shop: Shop, claims: object) => (await comeBack(shop, claims))()

interface Claimant {
  readonly id: string
  readonly path: string
  readonly as: Headers
}

const customerIdOf = (reply: Reply): string => {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.data.customer_id
}
const claimantIn = (reply: Reply): Claimant => {
  const id = customerIdOf(reply)
  return { id, path: `${customers}/${id}`, as: { 'x-moltin-customer-token': reply.body.data.token } }
}
const withPassword = ({ world }: Shop, email: string) =>
  world.shopper.post(tokens, body('token', { email, password }))

/** A customer with a password and an address that an administrator gave them. */
async function aCustomer(shop: Shop): Promise<Claimant> {
  const sent = customer({ password })
  await idOf(shop.world.admin.post(customers, sent))
  return claimantIn(await withPassword(shop, (sent.data as unknown as { email: string }).email))
}

const change = ({ world }: Shop, { path, as }: Claimant, fields: object) =>
  world.shopper.put(path, body('customer', fields), as)
const emailOf = async ({ world }: Shop, { path }: Pick<Claimant, 'path'>) =>
  (await world.admin.get(path)).body.data.email as string

const claims: [how: string, claim: (shop: Shop, email: string) => Promise<Claimant>][] = [
  [
    'has set',
    async (shop, email) => {
      const claimant = await aCustomer(shop)
      expect((await change(shop, claimant, { email })).status).toBe(200)
      return claimant
    },
  ],
  [
    'has from a provider that did not verify it',
    async (shop, email) => claimantIn(await signIn(shop, { email, email_verified: false })),
  ],
]

describe.each(claims)('an address that a customer %s', (_how, claim) => {
  test('passes to its owner, who has it from a provider that verified it', async () => {
    const email = anAddress()
    const claimant = await claim(lax, email.toUpperCase())
    const owner = customerIdOf(await signIn(lax, { email, email_verified: true }))
    expect(owner).not.toBe(claimant.id)
    expect(await emailOf(lax, { path: `${customers}/${owner}` })).toBe(email)
    // They keep their account, and may have any address but that one.
    expect((await lax.world.shopper.get(claimant.path, claimant.as)).body.data.email).toMatch(taken)
    expect((await change(lax, claimant, { email })).status).toBe(409)
    expect((await change(lax, claimant, { email: anAddress() })).status).toBe(200)
  })

  test('passes to a customer whom an administrator creates with it, or changes to it, where passwords are strict', async () => {
    const [first, second] = [anAddress(), anAddress()]
    const claimants = [await claim(strict, first), await claim(strict, second)]
    await idOf(strict.world.admin.post(customers, customer({ email: first })))
    const { path } = await aCustomer(strict)
    expect((await strict.world.admin.put(path, body('customer', { email: second }))).status).toBe(200)
    for (const claimant of claimants) expect(await emailOf(strict, claimant)).toMatch(taken)
  })

  test('does not pass to such a customer where passwords are not strict: it is a duplicate', async () => {
    const email = anAddress()
    const claimant = await claim(lax, email)
    expect((await lax.world.admin.post(customers, customer({ email }))).status).toBe(409)
    const { path } = await aCustomer(lax)
    expect((await lax.world.admin.put(path, body('customer', { email }))).status).toBe(409)
    expect(await emailOf(lax, claimant)).toBe(email)
  })

  test('does not pass to another customer who only claims it', async () => {
    const email = anAddress()
    const claimant = await claim(strict, email)
    expect((await signIn(strict, { email, email_verified: false })).status).toBe(409)
    expect((await change(strict, await aCustomer(strict), { email })).status).toBe(409)
    expect(await emailOf(strict, claimant)).toBe(email)
  })

  test('passes to one of the customers that are created with it at the same time', async () => {
    const email = anAddress()
    const claimant = await claim(strict, email)
    const replies = times(6, () => strict.world.admin.post(customers, customer({ email })))
    expect(await statuses(replies)).toEqual({ 201: 1, 409: 5 })
    expect(await emailOf(strict, claimant)).toMatch(taken)
  })
})

test('an address that an administrator has set or confirmed passes to nobody', async () => {
  for (const shop of [lax, strict]) {
    const [email, assigned] = [anAddress(), anAddress()]
    await idOf(shop.world.admin.post(customers, customer({ email })))
    const claimant = await aCustomer(shop)
    await change(shop, claimant, { email: anAddress() })
    expect((await shop.world.admin.put(claimant.path, body('customer', { email: assigned }))).status).toBe(
      200,
    )
    for (const address of [email, assigned]) {
      expect((await signIn(shop, { email: address, email_verified: true })).status).toBe(409)
      expect((await shop.world.admin.post(customers, customer({ email: address }))).status).toBe(409)
    }
  }
})

const owners: [who: string, ready: (email: string) => Promise<() => Promise<Reply>>, status: number][] = [
  ['signs in', (email) => comeBack(strict, { email, email_verified: true }), 200],
  ['is created', async (email) => () => strict.world.admin.post(customers, customer({ email })), 201],
]
test.each(owners)(
  'a customer who claims an address at the moment when its owner %s does not lock the owner out',
  async (_who, ready, status) => {
    const email = anAddress()
    const [claimant, come] = [await aCustomer(strict), await ready(email)]
    // Or the lock would keep what gives positions waiting too.
    await strict.world.feed('SELECT')
    const outcomes = await inTheWay(
      strict.world,
      // The claim is written, and waits to be fed: nobody sees it yet.
      [['LOCK TABLE fresh_changes IN SHARE MODE']],
      async () => {
        const claimed = change(strict, claimant, { email })
        await untilWaiting(strict.world, 1)
        return Promise.all([claimed, come()])
      },
      [],
      2,
    )
    expect(outcomes.map((reply) => reply.status)).toEqual([200, status])
    expect(await emailOf(strict, claimant)).toMatch(taken)
    const list = await strict.world.admin.get(`${customers}?filter=eq(email,${email})`)
    expect(list.body.data).toHaveLength(1)
  },
)

describe('an account that its owner takes over', () => {
  const policy = ({ world, realm }: Shop, duplicate_email_policy: string) =>
    world.admin.put(
      `/v2/authentication-realms/${realm}`,
      body('authentication-realm', { duplicate_email_policy }),
    )

  test('loses the address that the stranger has set', async () => {
    await policy(lax, 'api_only')
    const [email, other] = [anAddress(), anAddress()]
    const stranger = claimantIn(await signIn(lax, { email, email_verified: false }))
    expect((await change(lax, stranger, { email: other })).status).toBe(200)
    expect(customerIdOf(await signIn(lax, { email, email_verified: true }))).toBe(stranger.id)
    expect(await emailOf(lax, stranger)).toBe(email)
    // It is theirs now, and no claim.
    await policy(lax, 'allowed')
    expect((await signIn(lax, { email, email_verified: true })).status).toBe(409)
  })

  test('is not changed by a request of the stranger that is still in progress', async () => {
    await policy(lax, 'api_only')
    const email = anAddress()
    const stranger = claimantIn(await signIn(lax, { email, email_verified: false }))
    const isStranger = `store_id = '${lax.world.storeId}' AND id = $1`
    // It has been let in, and waits where it would wait for the owner's sign-in.
    const late = await inTheWay(
      lax.world,
      [[`SELECT FROM user_authentication_infos WHERE ${isStranger} FOR UPDATE`, [stranger.id]]],
      () => change(lax, stranger, { password, email: anAddress() }),
      // As linking the owner does.
      [
        [
          `INSERT INTO user_token_epochs SELECT store_id, id, 1 FROM user_authentication_infos WHERE ${isStranger}`,
          [stranger.id],
        ],
      ],
    )
    expect(late.status).toBe(401)
    expect((await lax.world.admin.get(stranger.path)).body.data).toMatchObject({ email, password: false })
    await policy(lax, 'allowed')
  })
})
