import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  account,
  accountRealm,
  address,
  member,
  membership,
  password,
} from '../../builders/people/accounts.ts'
import {
  byPassword,
  header,
  type Person,
  person,
  profile,
  settle,
  signedIn,
  tokens,
} from '../../builders/people/members.ts'
import { inTheWay } from '../../support/in-the-way.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let profileId: string
let ada: Person
let other: Person
let child: string
let colleague: string
let as: Record<string, string>
beforeAll(async () => {
  world = await openWorld()
  profileId = await profile(world.admin)
  ada = await person(world, profileId)
  other = await person(world, profileId)
  child = await idOf(world.admin.post('/v2/accounts', account({ parent_id: ada.home })))
  colleague = await member(world.admin)
  await idOf(world.admin.post(memberships(ada.home), membership(colleague)))
  as = await signedIn(world, ada)
})
afterAll(() => world.close())

const memberships = (home: string) => `/v2/accounts/${home}/account-memberships`
const addresses = (home: string) => `/v2/accounts/${home}/addresses`
const idsIn = ({ body }: Reply) => body.data.map(({ id }: { id: string }) => id)
const outcome = ({ status, body }: Reply) => [status, body?.errors?.[0].code]
const missing = [404, 'not_found']
const forbidden = [403, 'forbidden']
const userBody = (fields: object) => body('user_authentication_info', fields)
const linkBody = (fields: object) => body('user_authentication_password_profile_info', fields)

describe('a member', () => {
  test('reads the account of their token only', async () => {
    const list = await world.shopper.get('/v2/accounts', as)
    expect([idsIn(list), list.body.meta.results.total]).toEqual([[ada.home], 1])
    expect((await world.shopper.get(`/v2/accounts/${ada.home}`, as)).status).toBe(200)
    for (const id of [other.home, child]) {
      expect(outcome(await world.shopper.get(`/v2/accounts/${id}`, as))).toEqual(missing)
    }
    // With an application's own key the narrower of the two counts.
    expect(idsIn(await world.admin.get('/v2/accounts', as))).toEqual([ada.home])
  })

  test('reads nothing of the parent from a child account', async () => {
    const link = await idOf(world.admin.post(memberships(child), membership(ada.id)))
    const { body: answer } = await world.shopper.post(tokens, byPassword(ada))
    const inChild = { [header]: answer.data[0].token }
    expect(idsIn(await world.shopper.get('/v2/accounts', inChild))).toEqual([child])
    expect(outcome(await world.shopper.get(`/v2/accounts/${ada.home}`, inChild))).toEqual(missing)
    expect((await world.admin.delete(`${memberships(child)}/${link}`)).status).toBe(204)
  })

  test('reads the members of that account', async () => {
    const list = await world.shopper.get('/v2/account-members', as)
    expect(new Set(idsIn(list))).toEqual(new Set([ada.id, colleague]))
    expect((await world.shopper.get(`/v2/account-members/${colleague}`, as)).status).toBe(200)
    expect(outcome(await world.shopper.get(`/v2/account-members/${other.id}`, as))).toEqual(missing)
  })

  test('reads its memberships under the account and under the member', async () => {
    const list = await world.shopper.get(`${memberships(ada.home)}?include=account_member`, as)
    expect(list.body.meta.results.total).toBe(2)
    expect(list.body.included.account_members).toHaveLength(2)
    const [one] = idsIn(list)
    expect((await world.shopper.get(`${memberships(ada.home)}/${one}`, as)).status).toBe(200)
    const ofMember = (id: string) => `/v2/account-members/${id}/account-memberships?include=account`
    const mine = await world.shopper.get(ofMember(ada.id), as)
    expect(mine.body.included.accounts.map(({ id }: { id: string }) => id)).toEqual([ada.home])
    expect(outcome(await world.shopper.get(memberships(other.home), as))).toEqual(missing)
    expect(outcome(await world.shopper.get(ofMember(other.id), as))).toEqual(missing)
    const [theirs] = idsIn(await world.admin.get(memberships(other.home)))
    const path = `${memberships(other.home)}/${theirs}`
    expect(outcome(await world.shopper.get(path, as))).toEqual(missing)
  })

  test('reads and changes its addresses', async () => {
    const id = await idOf(world.shopper.post(addresses(ada.home), address(), as))
    const path = `${addresses(ada.home)}/${id}`
    expect(idsIn(await world.shopper.get(addresses(ada.home), as))).toEqual([id])
    expect((await world.shopper.put(path, address({ city: 'Ely' }), as)).body.data.city).toBe('Ely')
    expect((await world.shopper.delete(path, as)).status).toBe(204)

    const theirs = await idOf(world.admin.post(addresses(other.home), address()))
    const their = `${addresses(other.home)}/${theirs}`
    for (const reply of [
      await world.shopper.get(addresses(other.home), as),
      await world.shopper.post(addresses(other.home), address(), as),
      await world.shopper.get(their, as),
      await world.shopper.put(their, address(), as),
      await world.shopper.delete(their, as),
    ]) {
      expect(outcome(reply)).toEqual(missing)
    }
    expect((await world.admin.get(their)).status).toBe(200)
  })

  test('reads what anonymous shoppers read, and nothing else', async () => {
    expect((await world.shopper.get('/v2/authentication-realms', as)).status).toBe(200)
    for (const reply of [
      await world.shopper.post('/v2/accounts', account(), as),
      await world.shopper.put(`/v2/accounts/${ada.home}`, account(), as),
      await world.shopper.delete(`/v2/accounts/${ada.home}`, as),
      await world.shopper.post(memberships(ada.home), membership(colleague), as),
      await world.shopper.get(`${memberships(ada.home)}/unassigned-account-members`, as),
      await world.shopper.put(`/v2/account-members/${ada.id}`, body('account_member'), as),
      await world.shopper.get('/v2/account-tags', as),
      await world.shopper.get(`/v2/accounts/${ada.home}/relationships/account-tags`, as),
      await world.shopper.put(
        '/v2/settings/account-authentication',
        body('account_authentication_settings'),
        as,
      ),
      await world.shopper.get('/v2/settings/account-membership', as),
      await world.shopper.get('/v2/application-keys', as),
      await world.shopper.get(`${ada.user}/user-authentication-oidc-profile-info`, as),
      await world.shopper.delete(ada.user, as),
      await world.shopper.delete(ada.link, as),
    ]) {
      expect(outcome(reply)).toEqual(forbidden)
    }
    const users = `${await accountRealm(world.admin)}/user-authentication-info`
    expect(outcome(await world.shopper.post(users, userBody({ name: 'X', email: 'x@x.co' }), as))).toEqual(
      forbidden,
    )
  })
})

describe('a member who manages their own sign-in', () => {
  test('reads their own user, and no other', async () => {
    const users = `${await accountRealm(world.admin)}/user-authentication-info`
    expect(idsIn(await world.shopper.get(users, as))).toEqual([ada.id])
    const links = ada.link.slice(0, ada.link.lastIndexOf('/'))
    expect((await world.shopper.get(links, as)).body.data[0].username).toBe(ada.username)
    for (const path of [other.user, other.link, other.link.slice(0, other.link.lastIndexOf('/'))]) {
      expect(outcome(await world.shopper.get(path, as)), path).toEqual(missing)
    }
  })

  test('changes nothing until the store allows it', async () => {
    for (const [path, change] of [
      [ada.user, userBody({ name: 'Ada B.', email: 'ada@example.com' })],
      [ada.link, linkBody({ password: 'another password' })],
    ] as const) {
      expect(outcome(await world.shopper.put(path, change, as))).toEqual(forbidden)
    }
    expect((await world.shopper.get(ada.user, as)).body.data.name).toBe('Ada Byron')
  })

  test('changes their name, then their password, which signs them out', async () => {
    // It holds for tokens that are out already, both ways.
    await settle(world, { account_member_self_management: 'update_only' })
    const named = await world.shopper.put(ada.user, userBody({ name: 'Ada B.', email: 'a@b.co' }), as)
    expect([named.status, named.body.data.name]).toEqual([200, 'Ada B.'])
    expect((await world.shopper.get(`/v2/account-members/${ada.id}`, as)).body.data.name).toBe('Ada B.')

    const change = linkBody({ password: 'another password' })
    for (const path of [other.user, other.link]) {
      const sent = path === other.user ? userBody({ name: 'X', email: 'x@x.co' }) : change
      expect(outcome(await world.shopper.put(path, sent, as))).toEqual(missing)
    }
    expect((await world.shopper.put(ada.link, change, as)).status).toBe(200)
    expect((await world.shopper.get('/v2/accounts', as)).status).toBe(401)
    const again = byPassword(ada, { password: 'another password' })
    const { status, body: answer } = await world.shopper.post(tokens, again)
    expect(status).toBe(201)
    const back = { [header]: answer.data[0].token }
    await settle(world, { account_member_self_management: 'disabled' })
    expect(outcome(await world.shopper.put(ada.link, linkBody({ password }), back))).toEqual(forbidden)
    await world.admin.put(ada.link, linkBody({ password }))
    as = await signedIn(world, ada)
  })
})

describe('a token becomes invalid', () => {
  const works = async (headers: Record<string, string>) =>
    (await world.shopper.get('/v2/accounts', headers)).status === 200

  /** What is done to a member, and whether they are signed out by it. */
  const cases: [what: string, act: (who: Person) => Promise<Reply>, signsOut: boolean][] = [
    ['a new password', ({ link }) => world.admin.put(link, linkBody({ password: 'a new password' })), true],
    ['another username', ({ link, id }) => world.admin.put(link, linkBody({ username: `U ${id}` })), false],
    ['an unlinked username', ({ link }) => world.admin.delete(link), true],
    ['another name', ({ user }) => world.admin.put(user, userBody({ name: 'Y', email: 'y@y.co' })), false],
    ['the user deleted', ({ user }) => world.admin.delete(user), true],
    ['the account deleted', ({ home }) => world.admin.delete(`/v2/accounts/${home}`), true],
    [
      'the membership deleted',
      async ({ home }) => {
        const [id] = idsIn(await world.admin.get(memberships(home)))
        return world.admin.delete(`${memberships(home)}/${id}`)
      },
      true,
    ],
  ]

  test.each(cases)('with %s', async (_what, act, signsOut) => {
    const who = await person(world, profileId)
    const headers = await signedIn(world, who)
    expect(await works(headers)).toBe(true)
    expect((await act(who)).status).toBeLessThan(300)
    expect(await works(headers)).toBe(!signsOut)
  })

  test('when an identity is linked, linked to another subject or issuer, or unlinked', async () => {
    const oidc = await idOf(
      world.admin.post(
        `${await accountRealm(world.admin)}/oidc-profiles`,
        body('oidc-profile', {
          name: 'Staff',
          discovery_url: 'https://id.example.com/.well-known/openid-configuration',
          client_id: 'shop',
          client_secret: 'secret',
        }),
      ),
    )
    const who = await person(world, profileId)
    const links = `${who.user}/user-authentication-oidc-profile-info`
    const info = (fields: object) => body('user_authentication_oidc_profile_info', fields)
    let link = ''
    const steps: [act: () => Promise<Reply>, signsOut: boolean][] = [
      [
        async () => {
          const reply = await world.admin.post(links, info({ oidc_profile_id: oidc, subject: 's' }))
          link = `${links}/${reply.body.data.id}`
          return reply
        },
        true,
      ],
      [() => world.admin.put(link, info({ subject: 's' })), false],
      [() => world.admin.put(link, info({ subject: 't' })), true],
      [() => world.admin.put(link, info({ issuer: 'https://id2.example.com' })), true],
      [() => world.admin.delete(link), true],
    ]
    for (const [i, [act, signsOut]] of steps.entries()) {
      const headers = await signedIn(world, who)
      const { status, body } = await act()
      expect(status, JSON.stringify(body)).toBeLessThan(300)
      expect(await works(headers), `step ${i}`).toBe(!signsOut)
      // Signed in within the same second, by the way it is now.
      expect(await works(await signedIn(world, who)), `after step ${i}`).toBe(true)
    }
  })

  test('when its password profile is deleted, for everyone with a username there', async () => {
    const doomed = await profile(world.admin)
    const people = [await person(world, doomed), await person(world, doomed)]
    const headers = await Promise.all(people.map((who) => signedIn(world, who)))
    const realm = await accountRealm(world.admin)
    expect((await world.admin.delete(`${realm}/password-profiles/${doomed}`)).status).toBe(204)
    expect(await Promise.all(headers.map(works))).toEqual([false, false])
  })
})

test('a change that is in progress when the token ends has no effect', async () => {
  await settle(world, { account_member_self_management: 'update_only' })
  const who = await person(world, profileId)
  const headers = await signedIn(world, who)
  const late = userBody({ name: 'Late', email: 'late@example.com' })
  const reply = await inTheWay(
    world,
    // As what ends tokens does, and not committed yet.
    [['UPDATE user_authentication_infos SET version = version + 1 WHERE id = $1', [who.id]]],
    () => world.shopper.put(who.user, late, headers),
    [
      [
        `INSERT INTO user_token_epochs AS e SELECT store_id, id, 1 FROM user_authentication_infos WHERE id = $1
         ON CONFLICT (store_id, user_id) DO UPDATE SET epoch = e.epoch + 1`,
        [who.id],
      ],
    ],
  )
  expect(reply.status).toBe(401)
  expect((await world.admin.get(who.user)).body.data.name).not.toBe('Late')
  await settle(world, { account_member_self_management: 'disabled' })
})

test('a token is refused in another store, with a foreign signature, and as another kind of token', async () => {
  const refusals = async (token: string, client = world.shopper) => {
    const { status, headers, body } = await client.get('/v2/accounts', { [header]: token })
    expect(status, JSON.stringify(body)).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
  }
  const good = as[header] as string
  await refusals(good, world.other)
  await refusals(`${good}x`)
  await refusals('x')
  await refusals(world.admin.token as string)
  const { instance } = world.server
  const claims = { scope: ada.home, store_id: world.storeId, epoch: 1, realm_id: 'x' }
  const forge = (key: Uint8Array, alg = 'HS256') =>
    new SignJWT(claims).setProtectedHeader({ alg }).setSubject(ada.id).setExpirationTime('1h').sign(key)
  await refusals(await forge(instance.shopperTokenKeys('customer')[0]))
  await refusals(await forge(instance.cursorKeys[0]))
  await refusals(await forge(instance.sealKeys[0]))
  await refusals(
    await forge(Buffer.concat([instance.shopperTokenKeys('account-member')[0]]), 'HS384').catch(() => 'x'),
  )
  expect((await world.nobody.get('/v2/accounts', as)).status).toBe(401)
})
