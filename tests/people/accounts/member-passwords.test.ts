import { dictionary } from '@zxcvbn-ts/language-common'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accountRealm, member, password } from '../../builders/people/accounts.ts'
import {
  byPassword,
  type Person,
  person,
  profile,
  refusal,
  settle,
  signedIn,
  tokenRequest,
  tokens,
} from '../../builders/people/members.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

interface Setting {
  readonly world: World
  readonly profileId: string
}

let off: Setting
let on: Setting
beforeAll(async () => {
  const settled = async (env: Record<string, string>): Promise<Setting> => {
    const world = await openWorld({ env })
    await settle(world, { account_member_self_management: 'update_only', enable_self_signup: true })
    return { world, profileId: await profile(world.admin, { enable_one_time_password_token: true }) }
  }
  // Few connections: that those who guess at once hold all of them must hold up nobody.
  const strict = { SUTLER_STRICT_PASSWORDS: 'true', SUTLER_DATABASE_CONNECTIONS: '3' }
  ;[off, on] = await Promise.all([settled({}), settled(strict)])
})
afterAll(() => Promise.all([off.world.close(), on.world.close()]))
beforeEach(async () => {
  for (const { world } of [off, on]) await world.sql('DELETE FROM attempts')
})

interface Ada extends Person {
  readonly as: Record<string, string>
}

async function ada({ world, profileId }: Setting): Promise<Ada> {
  const who = await person(world, profileId)
  return { ...who, as: await signedIn(world, who) }
}

const another = 'nine otters in a red boat'
const change = (fields: object) => body('user_authentication_password_profile_info', fields)
const guess = ({ world }: Setting, { link, as }: Ada, current_password = 'a wrong password') =>
  world.shopper.put(link, change({ password: another, current_password }), as)
const signIn = async ({ world }: Setting, who: Person, secret: string) =>
  (await world.shopper.post(tokens, byPassword(who, { password: secret }))).status
const wrong = [422, 'unprocessable', 'data.current_password']
const common = [422, 'unprocessable', 'data.password']

const settings: [setting: string, of: () => Setting][] = [
  ['off', () => off],
  ['on', () => on],
]

describe('the current password of a member', () => {
  test.each(settings)('must be correct if it is sent: strict passwords %s', async (_setting, of) => {
    const { world } = of()
    const who = await ada(of())
    for (const current_password of ['a wrong password', '', password.toUpperCase()]) {
      const sent = change({ password: another, current_password, username: `Not kept ${who.id}` })
      const reply = await world.shopper.put(who.link, sent, who.as)
      expect(refusal(reply)).toEqual(wrong)
      expect(JSON.stringify(reply.body)).not.toMatch(/wrong password|eleven|ELEVEN|otters/)
      // An administrator need not send it; one that is sent is no less wrong.
      expect(refusal(await world.admin.put(who.link, sent))).toEqual(wrong)
      await world.sql('DELETE FROM attempts')
    }
    const link = (await world.shopper.get(who.link, who.as)).body.data
    expect(link.username).toBe(who.username)
    // The one of the name that they had.
    const sent = change({ password: another, current_password: password, username: `New ${who.id}` })
    expect((await world.shopper.put(who.link, sent, who.as)).status).toBe(200)
    expect((await world.shopper.get('/v2/accounts', who.as)).status).toBe(401)
    const renamed = { ...who, username: `New ${who.id}` }
    expect([await signIn(of(), renamed, password), await signIn(of(), renamed, another)]).toEqual([401, 201])
  })

  test('is required where passwords are strict, and only there', async () => {
    const sent = change({ password: another })
    const [lax, strict] = [await ada(off), await ada(on)]
    expect((await off.world.shopper.put(lax.link, sent, lax.as)).status).toBe(200)
    expect(refusal(await on.world.shopper.put(strict.link, sent, strict.as))).toEqual(wrong)
    // With an application's own key beside it, it is still the shopper who calls.
    expect(refusal(await on.world.admin.put(strict.link, sent, strict.as))).toEqual(wrong)
    expect((await on.world.admin.put(strict.link, sent)).status).toBe(200)
    expect(await signIn(on, strict, another)).toBe(201)
  })

  test.each(settings)(
    'is ignored unless the request changes how the member signs in: strict passwords %s',
    async (_setting, of) => {
      const { world, profileId } = of()
      const links = `${await accountRealm(world.admin)}/user-authentication-info/${await member(world.admin)}/user-authentication-password-profile-info`
      const fields = { username: `New-${links.slice(-80, -44)}`, password, password_profile_id: profileId }
      await idOf(world.admin.post(links, change({ ...fields, current_password: 'a wrong password' })))
      const who = await ada(of())
      const named = body('user_authentication_info', { name: 'B', current_password: 'a wrong password' })
      expect((await world.shopper.put(who.user, named, who.as)).status).toBe(200)
      expect((await world.shopper.get('/v2/accounts', who.as)).status).toBe(200)
    },
  )

  test('is stored nowhere', async () => {
    const { world } = on
    const { link, as } = await ada(on)
    const changed = await guess(on, { link, as } as Ada, password)
    expect(changed.status).toBe(200)
    const shown = await world.admin.get(link)
    const { rows } = await world.sql(
      'SELECT doc, hidden FROM user_authentication_password_profile_infos WHERE id = $1',
      [link.slice(-36)],
    )
    expect(Object.keys(rows[0].doc).sort()).toEqual(['password_profile_id', 'username'])
    expect(Object.keys(rows[0].hidden)).toEqual(['password_hash'])
    const { rows: feed } = await world.feed('SELECT c::text FROM changes c')
    expect(JSON.stringify([changed.body, shown.body, feed])).not.toMatch(/current_pass|eleven h|nine o/)
  })
})

describe('guessing the current password of a member', () => {
  test('is counted together with guessing at the sign-in', async () => {
    const who = await ada(on)
    for (let i = 0; i < 4; i++) expect(refusal(await guess(on, who))).toEqual(wrong)
    expect(await signIn(on, { ...who, username: who.username.toUpperCase() }, 'a wrong one')).toBe(401)
    // To the right password, too, in both places.
    const refused = await guess(on, who, password)
    expect([refused.status, refused.body.errors[0].code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    expect(await signIn(on, who, password)).toBe(429)
    expect((await on.world.shopper.get('/v2/accounts', who.as)).status).toBe(200)
  })

  test('is limited when many guesses arrive at once, and delays nobody else', async () => {
    const [who, other] = [await ada(on), await ada(on)]
    const started = performance.now()
    const guesses = times(30, () => guess(on, who))
    expect((await on.world.admin.put(other.link, change({ username: `X ${other.id}` }))).status).toBe(200)
    const counted = await statuses(guesses)
    // A connection that is waited for is given up after ten seconds.
    expect(performance.now() - started).toBeLessThan(9_000)
    expect((counted[422] ?? 0) + (counted[429] ?? 0)).toBe(30)
    expect(counted[422]).toBeLessThanOrEqual(5)
    expect((await guess(on, who, password)).status).toBe(429)
  })
})

describe('a common password', () => {
  const signUp = ({ world, profileId }: Setting, secret: string, username: string) =>
    world.shopper.post(
      tokens,
      tokenRequest('self_signup', {
        password_profile_id: profileId,
        username,
        password: secret,
        name: 'New Comer',
        email: 'new@example.com',
      }),
    )

  test('is refused where passwords are strict, whoever sets it', async () => {
    const who = await ada(on)
    for (const secret of ['password', 'PassW0rd', '12345678']) {
      const sent = change({ password: secret, current_password: password })
      const reply = await on.world.shopper.put(who.link, sent, who.as)
      expect(refusal(reply)).toEqual(common)
      expect(reply.body.errors[0].detail).toMatch(/choose one of 8 to 1024 characters/)
      expect(refusal(await on.world.admin.put(who.link, sent))).toEqual(common)
      const links = who.link.slice(0, who.link.lastIndexOf('/'))
      const fields = { username: `Second ${who.id}`, password_profile_id: who.profileId, password: secret }
      expect(refusal(await on.world.admin.post(links, change(fields)))).toEqual(common)
    }
    expect(await signIn(on, who, password)).toBe(201)
  })

  test('is refused at a sign-up, which leaves nothing behind and can be repeated', async () => {
    const count = async () =>
      (await on.world.sql('SELECT count(*) FROM user_authentication_infos')).rows[0].count
    const before = await count()
    // As often as it takes: whoever is told so has guessed nothing.
    for (let i = 0; i < 7; i++) expect(refusal(await signUp(on, 'iloveyou', 'newcomer'))).toEqual(common)
    expect(await count()).toBe(before)
    expect((await signUp(on, another, 'newcomer')).status).toBe(201)
  })

  test('is on a list that has many times the 3,000 entries that ASVS requires', () => {
    const long = dictionary['passwords-common'].filter(({ length }) => length >= 8)
    expect(new Set(long).size).toBeGreaterThan(15_000)
  })

  test('is accepted where passwords are not strict', async () => {
    const who = await ada(off)
    expect((await off.world.shopper.put(who.link, change({ password: 'password' }), who.as)).status).toBe(200)
    expect((await signUp(off, '12345678', 'newcomer')).status).toBe(201)
  })
})
