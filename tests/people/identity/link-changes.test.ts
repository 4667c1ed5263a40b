import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountRealm } from '../../builders/people/accounts.ts'
import { header, type Person, person, profile, signedIn } from '../../builders/people/members.ts'
import { oidcLink, oidcProfile } from '../../builders/people/realms.ts'
import { about, logs } from '../../builders/personal-data/people.ts'
import { idOf } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/**
 * What a user signs in with is changed: it is in the audit trail, it is an event, and their tokens end. That tokens end
 * is proven in full by tests/people/accounts/account-member-token.test.ts and
 * tests/people/customers/oidc-sign-in.test.ts.
 */
const issuer = 'https://id.example.com'
const linkType = 'user-authentication-oidc-profile-info'
const userType = 'user-authentication-info'

let world: World
let passwords: string
let provider: string
let admin: object
beforeAll(async () => {
  world = await openWorld()
  passwords = await profile(world.admin)
  provider = await idOf(world.admin.post(`${await accountRealm(world.admin)}/oidc-profiles`, oidcProfile({})))
  const [key] = (await world.admin.get('/v2/application-keys')).body.data
  admin = {
    'access-token-id': key.id,
    'access-token-name': key.name,
    'access-token-store-id': world.storeId,
    'access-token-type': 'client-credentials-token',
  }
})
afterAll(() => world.close())

let who: Person
let links: string
let session: Record<string, string>
beforeEach(async () => {
  who = await person(world, passwords)
  links = `${who.user}/user-authentication-oidc-profile-info`
  session = await signedIn(world, who)
})

const linkTo = (subject: string) =>
  world.admin.post(links, oidcLink({ oidc_profile_id: provider, issuer, subject }))
const logOf = async (type: string, id: string) =>
  (await world.admin.get(`${logs}${about(type, id)}`)).body.data as readonly Entry[]
const status = async () => (await world.shopper.get('/v2/accounts', session)).status

interface Entry {
  readonly event_type: string
  readonly delta: object
  readonly initiator: object
  readonly time: string
}

/** The feed's rows about the user and the link since a position, as webhooks get them. */
async function eventsSince(position: string, ...ids: string[]) {
  const { rows } = await world.feed(
    'SELECT type, event, id, actor FROM changes WHERE position > $1 AND id = ANY($2) ORDER BY position',
    [position, ids],
  )
  return rows
}
const latest = async () =>
  (
    await world.feed('SELECT coalesce(max(position), 0) AS position FROM changes WHERE store_id = $1', [
      world.storeId,
    ])
  ).rows[0].position

interface GuardedChange {
  readonly link: string
  /** The change that is guarded. */
  act(): Promise<Reply>
}

const cases: [
  what: string,
  kind: string,
  delta: (subject: string) => object,
  prepare: () => Promise<GuardedChange>,
][] = [
  [
    'linking',
    'created',
    (subject) => ({ subject, issuer, oidc_profile_id: provider }),
    async () => {
      let link = ''
      const act = async () => {
        const reply = await linkTo(`of ${who.id}`)
        link = reply.body.data.id
        return reply
      }
      return {
        get link() {
          return link
        },
        act,
      }
    },
  ],
  [
    'linking to another subject',
    'updated',
    () => ({ subject: `another of ${who.id}` }),
    async () => {
      const link = await idOf(linkTo(`of ${who.id}`))
      const act = () => world.admin.put(`${links}/${link}`, oidcLink({ subject: `another of ${who.id}` }))
      return { link, act }
    },
  ],
  [
    'linking to another issuer',
    'updated',
    () => ({ issuer: 'https://id2.example.com' }),
    async () => {
      const link = await idOf(linkTo(`of ${who.id}`))
      const act = () => world.admin.put(`${links}/${link}`, oidcLink({ issuer: 'https://id2.example.com' }))
      return { link, act }
    },
  ],
  [
    'unlinking',
    'deleted',
    () => ({}),
    async () => {
      const link = await idOf(linkTo(`of ${who.id}`))
      return { link, act: () => world.admin.delete(`${links}/${link}`) }
    },
  ],
]

describe.each(cases)('%s', (_what, kind, delta, prepare) => {
  test('is in the log, is an event, and ends the tokens of the user', async () => {
    const guarded = await prepare()
    session = await signedIn(world, who)
    expect(await status()).toBe(200)
    const position = await latest()
    const before = { userLog: await logOf(userType, who.id) }

    expect((await guarded.act()).status).toBeLessThan(300)
    expect(await status()).toBe(401)

    const [entry, ...older] = await logOf(linkType, guarded.link)
    expect(entry).toMatchObject({
      event_type: `${linkType}.event.${kind}`,
      initiator: admin,
      delta: delta(`of ${who.id}`),
    })
    if (kind === 'updated') {
      expect(Object.keys(entry?.delta ?? {})).toEqual(Object.keys(delta('')))
    }
    // What it was before is what the entries below say.
    if (kind !== 'created') {
      expect(older.at(-1)?.delta).toMatchObject({
        subject: `of ${who.id}`,
        issuer,
        oidc_profile_id: provider,
      })
    }
    const [touched, ...rest] = await logOf(userType, who.id)
    expect(touched).toMatchObject({ event_type: `${userType}.event.updated`, initiator: admin, delta: {} })
    expect(rest).toEqual(before.userLog)

    const events = await eventsSince(position, who.id, guarded.link)
    const by = { actor: (admin as { 'access-token-id': string })['access-token-id'] }
    expect(events).toEqual([
      { type: 'user_authentication_info', event: 'updated', id: who.id, ...by },
      { type: 'user_authentication_oidc_profile_info', event: kind, id: guarded.link, ...by },
    ])
  })
})

test('a refused request leaves no trace and ends no tokens', async () => {
  await idOf(linkTo(`of ${who.id}`))
  const victim = who
  who = await person(world, passwords)
  links = `${who.user}/user-authentication-oidc-profile-info`
  session = await signedIn(world, who)
  const position = await latest()
  expect((await linkTo(`of ${victim.id}`)).status).toBe(409)
  expect((await linkTo('')).status).toBe(400)
  expect(
    (await world.shopper.post(links, oidcLink({ oidc_profile_id: provider, subject: 'mine' }), session))
      .status,
  ).toBe(403)
  expect(await status()).toBe(200)
  expect(await eventsSince(position, who.id)).toEqual([])
  expect(decodeJwt(session[header] as string).sub).toBe(who.id)
})
