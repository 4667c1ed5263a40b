import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openOneTimePasswordEvent } from '../../../server/people/index.ts'
import { accountRealm, password } from '../../builders/people/accounts.ts'
import { customer, customers } from '../../builders/people/customers.ts'
import {
  byPassword,
  header,
  type Person,
  person,
  profile,
  refusal,
  settle,
  tokenRequest,
  tokens,
} from '../../builders/people/members.ts'
import { erase } from '../../builders/personal-data/people.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/** What somebody can do who has found a shopper's token: nothing that outlives the sign-in it is from. */

interface Setting {
  readonly world: World
  readonly clock: MovingClock
  readonly profileId: string
  readonly letters: { readonly to: string; readonly subject: string; readonly text: string }[]
}

let lax: Setting
let strict: Setting
beforeAll(async () => {
  const settled = async (env: Record<string, string>): Promise<Setting> => {
    const [clock, letters] = [new MovingClock(), [] as Setting['letters']]
    const mail = {
      send: async (to: string, subject: string, text: string) => void letters.push({ to, subject, text }),
    }
    // An access token outlasts what the clock is put forward by.
    const world = await openWorld({ clock, mail, env: { ...env, SUTLER_TOKEN_LIFETIME_S: '31536000' } })
    await settle(world, { account_member_self_management: 'update_only', enable_self_signup: true })
    return {
      world,
      clock,
      letters,
      profileId: await profile(world.admin, { enable_one_time_password_token: true }),
    }
  }
  ;[lax, strict] = await Promise.all([settled({}), settled({ SUTLER_STRICT_PASSWORDS: 'true' })])
})
afterAll(() => Promise.all([lax.world.close(), strict.world.close()]))
beforeEach(async () => {
  for (const { world } of [lax, strict]) await world.sql('DELETE FROM attempts')
})

type Headers = Record<string, string>
const day = 24 * 60 * 60
const wrong = [422, 'unprocessable', 'data.current_password']

interface Shopper {
  /** Where they are. */
  readonly path: string
  readonly as: Headers
  signInAgain(): Promise<Headers>
  /** What leads into their account, changed. */
  readonly changes: Record<string, (fields: object, as: Headers) => Promise<Reply>>
}

const signIn = ({ world }: Setting, who: Person) => world.shopper.post(tokens, byPassword(who))

let places = 0
async function aMember(setting: Setting): Promise<Shopper & { readonly who: Person }> {
  const who = await person(setting.world, setting.profileId)
  const signInAgain = async () => ({ [header]: (await signIn(setting, who)).body.data[0].token as string })
  const put = (path: string, type: string, fields: object, as: Headers) =>
    setting.world.shopper.put(path, body(type, fields), as)
  places += 1
  const place = places
  return {
    who,
    path: who.user,
    as: await signInAgain(),
    signInAgain,
    changes: {
      email: (fields, as) =>
        put(
          who.user,
          'user_authentication_info',
          { name: 'Ada', email: `new-${place}@example.com`, ...fields },
          as,
        ),
      username: (fields, as) => {
        const type = 'user_authentication_password_profile_info'
        return put(who.link, type, { username: `${who.username} anew`, ...fields }, as)
      },
    },
  }
}

async function aCustomer({ world }: Setting): Promise<Shopper> {
  const sent = customer({ password })
  const path = `${customers}/${await idOf(world.admin.post(customers, sent))}`
  const { email } = sent.data as unknown as { email: string }
  const signInAgain = async () => {
    const { data } = (await world.shopper.post(`${customers}/tokens`, body('token', { email, password })))
      .body
    return { 'x-moltin-customer-token': data.token as string }
  }
  return {
    path,
    as: await signInAgain(),
    signInAgain,
    changes: {
      email: (fields, as) =>
        world.shopper.put(path, body('customer', { email: `new-${email}`, ...fields }), as),
    },
  }
}

const cases: [what: string, which: string, make: (setting: Setting) => Promise<Shopper>][] = [
  ['the email address of a member', 'email', aMember],
  ['the username of a member', 'username', aMember],
  ['the email address of a customer', 'email', aCustomer],
]

describe('where passwords are strict, a token does not change', () => {
  test.each(cases)(
    '%s ten minutes after its sign-in, without the current password',
    async (_what, which, make) => {
      const shopper = await make(strict)
      const change = shopper.changes[which] as Shopper['changes'][string]
      const before = (await strict.world.admin.get(shopper.path)).body
      strict.clock.forward(600)
      const reply = await change({}, shopper.as)
      expect(refusal(reply)).toEqual(wrong)
      expect(reply.body.errors[0].detail).toMatch(/sign in again/)
      expect(refusal(await change({ current_password: 'a wrong password' }, shopper.as))).toEqual(wrong)
      expect((await strict.world.admin.get(shopper.path)).body).toEqual(before)
      expect((await change({ current_password: password }, shopper.as)).status).toBe(200)
    },
  )

  test.each(cases)(
    '%s: a recent sign-in is enough, unless a wrong password is sent',
    async (_w, which, make) => {
      const shopper = await make(strict)
      const change = shopper.changes[which] as Shopper['changes'][string]
      strict.clock.forward(600)
      const as = await shopper.signInAgain()
      strict.clock.forward(480)
      expect(refusal(await change({ current_password: 'a wrong password' }, as))).toEqual(wrong)
      expect((await change({}, as)).status).toBe(200)
    },
  )

  test('a first password of a customer', async () => {
    const shopper = await aCustomer(strict)
    // As one who signs in at a provider.
    const forget = `UPDATE customers SET hidden = (hidden::jsonb - 'password_hash')::json WHERE id = $1`
    await strict.world.sql(forget, [shopper.path.slice(-36)])
    const set = () =>
      strict.world.shopper.put(shopper.path, body('customer', { password: 'nine otters at sea' }), shopper.as)
    strict.clock.forward(600)
    expect(refusal(await set())).toEqual(wrong)
    strict.clock.forward(-120)
    expect((await set()).status).toBe(200)
  })

  test('anything by guessing: guesses are counted together with those at the sign-in', async () => {
    const { who, changes, as } = await aMember(strict)
    for (let i = 0; i < 5; i++)
      expect((await changes.email?.({ current_password: `guess ${i}` }, as))?.status).toBe(422)
    expect((await changes.email?.({ current_password: password }, as))?.status).toBe(429)
    expect((await signIn(strict, who)).status).toBe(429)
  })
})

test.each(cases)(
  'where passwords are not strict, a token changes %s, as clients of the public contract expect',
  async (_what, which, make) => {
    const shopper = await make(lax)
    const change = shopper.changes[which] as Shopper['changes'][string]
    lax.clock.forward(600)
    expect((await change({}, shopper.as)).status).toBe(200)
  },
)

describe('a renewed token', () => {
  const goOn = ({ world }: Setting, as: Headers) =>
    world.shopper.post(tokens, tokenRequest('account_management_authentication_token'), as)
  const tokenIn = ({ body }: Reply): Headers => ({ [header]: body.data[0].token })
  const secondsLeft = ({ clock }: Setting, { body }: Reply) =>
    Math.round((Date.parse(body.data[0].expires) - clock.now().getTime()) / 1000)

  test('is not a sign-in', async () => {
    const { changes, as } = await aMember(strict)
    strict.clock.forward(600)
    const next = await goOn(strict, as)
    expect(next.status).toBe(201)
    expect(refusal((await changes.email?.({}, tokenIn(next))) as Reply)).toEqual(wrong)
  })

  test('ends thirty days after the sign-in', async () => {
    const { who } = await aMember(lax)
    let reply = await signIn(lax, who)
    for (let days = 0; days < 30; days++) {
      const left = secondsLeft(lax, reply)
      expect(Math.abs(left - day)).toBeLessThan(120)
      // An hour before it would have ended.
      lax.clock.forward(day - 3600)
      reply = await goOn(lax, tokenIn(reply))
      expect(reply.status, `after ${days} days`).toBe(201)
    }
    // 30 hours before the end there is time for one more, and then for as long as is left.
    lax.clock.forward(day - 3600)
    reply = await goOn(lax, tokenIn(reply))
    expect(Math.abs(secondsLeft(lax, reply) - 7 * 3600)).toBeLessThan(120)
    lax.clock.forward(7 * 3600 - 300)
    reply = await goOn(lax, tokenIn(reply))
    expect(secondsLeft(lax, reply)).toBeLessThanOrEqual(300)
    lax.clock.forward(300)
    expect((await goOn(lax, tokenIn(reply))).status).toBe(401)
    expect((await signIn(lax, who)).status).toBe(201)
  })

  test('lasts at least as long as the store has set for a sign-in', async () => {
    await settle(lax.world, { account_management_authentication_token_timeout_secs: 60 * day })
    const { who } = await aMember(lax)
    const first = await signIn(lax, who)
    expect(Math.abs(secondsLeft(lax, first) - 60 * day)).toBeLessThan(120)
    lax.clock.forward(59 * day)
    const next = await goOn(lax, tokenIn(first))
    expect(Math.abs(secondsLeft(lax, next) - day)).toBeLessThan(120)
    await settle(lax.world, { account_management_authentication_token_timeout_secs: day })
    const shortened = await goOn(lax, tokenIn(next))
    expect([shortened.status, shortened.body.errors?.[0].detail]).toEqual([
      401,
      expect.stringMatching(/sign in again/),
    ])
  })
})

describe('a one-time password', () => {
  const requests = async ({ world, profileId }: Setting) =>
    `${await accountRealm(world.admin)}/password-profiles/${profileId}/one-time-password-token-request`

  /** Asks for one: the address that it is for, and the password; undefined when none is given. */
  async function ask(setting: Setting, { username }: Person) {
    const { world } = setting
    const before = await events(world)
    const request = { username, purpose: 'passwordless_authentication' }
    const reply = await world.shopper.post(
      await requests(setting),
      body('one_time_password_token_request', request),
    )
    expect(reply.status).toBe(202)
    await workedOff(world)
    const [event] = (await events(world)).slice(before.length)
    const details = event && openOneTimePasswordEvent(world.server.instance.sealKeys, event.doc)
    const { email } = (details?.user_authentication_info ?? {}) as { email?: string }
    return details && { email, secret: details.one_time_password_token as string }
  }

  const use = ({ world, profileId }: Setting, { username }: Person, one_time_password_token: string) => {
    const fields = { password_profile_id: profileId, username, one_time_password_token }
    return world.shopper.post(tokens, tokenRequest('passwordless', fields))
  }

  const addressOf = async ({ world }: Setting, { user }: Person) =>
    (await world.admin.get(user)).body.data.email as string
  const flagsOf = async ({ world }: Setting, { id }: Person) =>
    (await world.sql('SELECT hidden FROM user_authentication_infos WHERE id = $1', [id])).rows[0].hidden ?? {}

  test('is not sent, where passwords are strict, to an address that was set with a token alone', async () => {
    const { who, changes, as } = await aMember(strict)
    expect((await changes.email?.({}, as))?.status).toBe(200)
    expect(await ask(strict, who)).toBeUndefined()
    expect(strict.letters.filter(({ to }) => to.startsWith(`new-${places}@`))).toEqual([])
    // An administrator says that it is theirs, by giving them another.
    const change = body('user_authentication_info', { name: 'Ada', email: `given-${places}@example.com` })
    expect((await strict.world.admin.put(who.user, change)).status).toBe(200)
    expect((await ask(strict, who))?.email).toBe(`given-${places}@example.com`)
  })

  test('is sent to an address that was set with the current password, and its use confirms the address', async () => {
    const { who, changes, as } = await aMember(strict)
    await changes.email?.({ current_password: password }, as)
    expect(await flagsOf(strict, who)).toMatchObject({ email_claimed: true })
    const code = await ask(strict, who)
    expect(code?.email).toBe(await addressOf(strict, who))
    await expect
      .poll(() => strict.letters.find(({ text }) => text.includes(code?.secret as string))?.to)
      .toBe(code?.email)
    expect((await use(strict, who, code?.secret as string)).status).toBe(201)
    expect(await flagsOf(strict, who)).not.toHaveProperty('email_claimed')
  })

  test('is sent to the address of a sign-up', async () => {
    const username = `signed-up-${places}`
    const fields = {
      password_profile_id: strict.profileId,
      username,
      password,
      name: 'Ada',
      email: `${username}@example.com`,
    }
    expect((await strict.world.shopper.post(tokens, tokenRequest('self_signup', fields))).status).toBe(201)
    expect((await ask(strict, { username } as Person))?.email).toBe(`${username}@example.com`)
  })

  test('is sent to any address where passwords are not strict, and its use confirms the address', async () => {
    const { who, changes, as } = await aMember(lax)
    await changes.email?.({}, as)
    expect(await flagsOf(lax, who)).toMatchObject({ email_claimed: true, email_unproven: true })
    const code = await ask(lax, who)
    expect((await use(lax, who, code?.secret as string)).status).toBe(201)
    const flags = await flagsOf(lax, who)
    expect([flags.email_claimed, flags.email_unproven]).toEqual([undefined, undefined])
  })

  test('ends when the address that it was sent to is replaced, and does not confirm it', async () => {
    const { who, changes, as } = await aMember(lax)
    const code = await ask(lax, who)
    await changes.email?.({}, as)
    expect((await use(lax, who, code?.secret as string)).status).toBe(401)
    expect(await flagsOf(lax, who)).toMatchObject({ email_claimed: true })
  })
})

async function events(world: World): Promise<{ doc: Record<string, unknown> }[]> {
  const text = `SELECT * FROM changes WHERE type = 'one-time-password-token-request' ORDER BY position`
  return (await world.feed(text)).rows
}

/** Waits until the queue is empty: what was asked for has been done, or come to nothing. */
async function workedOff(world: World): Promise<void> {
  const text = `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'passwords:give-one-time-password'`
  for (let attempt = 0; attempt < 400; attempt++) {
    if (!(await world.sql(text)).rows.length) return
    await setTimeout(25)
  }
  throw new Error('the queue is not worked off')
}

describe('the old address is notified of a change', () => {
  const noticesOf = async ({ world }: Setting, id: string) =>
    (await world.feed(`SELECT * FROM changes WHERE type = 'email-change' AND scope = $1`, [id])).rows

  test.each([
    ['member', 'user_authentication_info', aMember],
    ['customer', 'customer', aCustomer],
  ] as const)('of a %s, by mail and by an event, until they are erased', async (_what, type, make) => {
    const { path, changes, as } = await make(lax)
    const [id, { email, name }] = [path.slice(-36), (await lax.world.admin.get(path)).body.data]
    const lettersTo = () =>
      lax.letters.filter(({ to, subject }) => to === email && /Your email address/.test(subject))
    const before = lettersTo().length
    await lax.world.shopper.put(path, body(type, { name, email }), as)
    expect(await noticesOf(lax, id)).toEqual([])
    await changes.email?.({}, as)
    const now = (await lax.world.admin.get(path)).body.data
    const [event, ...more] = await noticesOf(lax, id)
    expect(more).toEqual([])
    expect(event).toMatchObject({ event: 'email-change.created', actor: id })
    expect(event.doc).toMatchObject({
      [type]: { id, name: now.name, email: now.email },
      previous_email: email,
    })
    await expect.poll(() => lettersTo().length, { timeout: 10_000 }).toBe(before + 1)
    // It is said that there is a new one, not which.
    expect(JSON.stringify(lettersTo())).not.toContain(now.email)
    const kind = type === 'customer' ? type : 'user-authentication-info'
    expect(await erase(lax.world.admin, kind, id)).toMatchObject({ status: 'SUCCESS' })
    expect(await noticesOf(lax, id)).toEqual([])
  })
})
