import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOneTimePasswordEvent } from '../../../server/people/index.ts'
import { accountRealm } from '../../builders/people/accounts.ts'
import { type Person, person, profile, refusal, tokenRequest, tokens } from '../../builders/people/members.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realm: string
let profileId: string
let profiles: string
const clock = new MovingClock()
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '86400' } })
  realm = await accountRealm(world.admin)
  profileId = await profile(world.admin, { enable_one_time_password_token: true })
  profiles = `${realm}/password-profiles`
})
afterAll(() => world.close())

const type = 'one_time_password_token_request'
const purpose = 'passwordless_authentication'
const requests = (id = profileId) => `${profiles}/${id}/one-time-password-token-request`
const ask = (username: string, client = world.admin) =>
  client.post(requests(), body(type, { username, purpose }))

async function events(): Promise<{ doc: Record<string, never>; [column: string]: unknown }[]> {
  const { rows } = await world.feed(
    `SELECT * FROM changes WHERE type = 'one-time-password-token-request' ORDER BY position`,
  )
  return rows
}

/** Waits until the queue is empty: what was asked for has been done, or come to nothing. */
async function workedOff(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const { rows } = await world.sql(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'passwords:give-one-time-password'`,
    )
    if (!rows.length) return
    await setTimeout(25)
  }
  throw new Error('the queue is not worked off')
}

/** The password that a request for this person leads to, as the reader of the event is told it. */
async function received(who: Person): Promise<string> {
  const before = (await events()).length
  expect((await ask(who.username)).status).toBe(202)
  await workedOff()
  const [event] = (await events()).slice(before)
  if (!event) throw new Error('no event')
  return openOneTimePasswordEvent(world.server.instance.sealKeys, event.doc).one_time_password_token as string
}

const sign = ({ username }: Person, one_time_password_token: string, client = world.admin) =>
  client.post(
    tokens,
    tokenRequest('passwordless', { password_profile_id: profileId, username, one_time_password_token }),
  )

describe('a request', () => {
  test('leads to an event with the password, for the system that sends it', async () => {
    const who = await person(world, profileId)
    const before = (await events()).length
    const sent = body('one-time-password-token-request', {
      username: who.username.toUpperCase(),
      purpose: 'reset_password',
    })
    const { status, body: answer, headers } = await world.shopper.post(requests(), sent)
    expect([status, answer]).toEqual([202, undefined])
    await workedOff()
    const fresh = (await events()).slice(before)
    expect(fresh).toHaveLength(1)
    expect(fresh[0]).toMatchObject({
      store_id: world.storeId,
      event: 'one-time-password-token-request.created',
      scope: profileId,
      request_id: headers.get('x-request-id'),
    })
    const event = openOneTimePasswordEvent(world.server.instance.sealKeys, fresh[0]?.doc ?? {})
    expect(event).toEqual({
      authentication_realm_id: realm.split('/').at(-1),
      password_profile_id: profileId,
      purpose: 'reset_password',
      one_time_password_token: expect.stringMatching(/^[a-z2-9]{6}$/),
      user_authentication_info: { id: who.id, name: 'Ada Byron', email: 'ada@example.com' },
      user_authentication_password_profile_info: {
        id: who.link.split('/').at(-1),
        password_profile_id: profileId,
        username: who.username,
      },
      created_at: expect.stringMatching(/\.\d{3}\+00:00$/),
      updated_at: event.created_at,
    })
  })

  test('stores the password nowhere in a form that a reader of the database could use', async () => {
    const secret = await received(await person(world, profileId))
    const { rows } = await world.sql(`SELECT hash FROM one_time_passwords`)
    for (const { hash } of rows) expect(hash).toMatch(/^\$argon2id/)
    expect(JSON.stringify([rows, await events()])).not.toContain(`"${secret}"`)
  })

  test('gets the same response for an unknown user, and for one request too many', async () => {
    const who = await person(world, profileId)
    const before = (await events()).length
    for (const username of [who.username, 'nobody at all']) {
      for (let i = 0; i < 7; i++) {
        const { status, body: answer } = await ask(username)
        expect([status, answer]).toEqual([202, undefined])
      }
    }
    await workedOff()
    expect(await events()).toHaveLength(before + 5)
  })

  test('is refused where one-time passwords are not available, and with missing fields', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000000'
    const wish = body(type, { username: 'ada', purpose })
    const off = await profile(world.admin)
    expect(refusal(await world.shopper.post(requests(off), wish))).toEqual([422, 'unprocessable', undefined])
    expect((await world.shopper.post(requests(nowhere), wish)).status).toBe(404)
    expect((await world.shopper.post(requests('x'), wish)).status).toBe(404)
    expect((await world.other.post(requests(), wish)).status).toBe(404)
    expect((await world.nobody.post(requests(), wish)).status).toBe(401)
    const elsewhere = requests().replace(realm, '/v2/authentication-realms/x')
    expect((await world.shopper.post(elsewhere, wish)).status).toBe(404)
    for (const [fields, source] of [
      [{ purpose }, 'data.username'],
      [{ username: 'ada' }, 'data.purpose'],
      [{ username: 'ada', purpose: 'fun' }, 'data.purpose'],
    ] as const) {
      const reply = await world.shopper.post(requests(), body(type, fields))
      expect(refusal(reply)).toEqual([400, 'invalid_field', source])
    }
  })
})

describe('a one-time password', () => {
  test('signs in once, with any case and spaces', async () => {
    const who = await person(world, profileId)
    const secret = await received(who)
    const first = await sign(who, ` ${secret.toUpperCase()} `, world.shopper)
    expect(first.status).toBe(201)
    expect(first.body.data).toMatchObject([{ account_id: who.home }])
    const second = await sign(who, secret)
    expect([second.status, second.body.errors[0].detail]).toEqual([
      401,
      'The username or the one-time password is not valid, or the one-time password has expired.',
    ])
  })

  test('signs in one of the concurrent requests that use it', async () => {
    const who = await person(world, profileId)
    const secret = await received(who)
    expect(await statuses(times(5, () => sign(who, secret)))).toEqual({ 201: 1, 401: 4 })
  })

  test('is valid for ten minutes', async () => {
    const who = await person(world, profileId)
    const secret = await received(who)
    clock.forward(540)
    const late = await person(world, profileId)
    const expired = await received(late)
    expect((await sign(who, secret)).status).toBe(201)
    clock.forward(601)
    expect((await sign(late, expired)).status).toBe(401)
  })

  test('is valid until a newer one is made', async () => {
    const who = await person(world, profileId)
    const [old, fresh] = [await received(who), await received(who)]
    expect((await sign(who, old)).status).toBe(401)
    expect((await sign(who, fresh)).status).toBe(201)
  })

  test('is valid for one user and one profile', async () => {
    const [who, other] = [await person(world, profileId), await person(world, profileId)]
    const secret = await received(who)
    expect((await sign(other, secret)).status).toBe(401)
    const off = await profile(world.admin)
    const fields = { password_profile_id: off, username: who.username, one_time_password_token: secret }
    expect((await world.admin.post(tokens, tokenRequest('passwordless', fields))).status).toBe(422)
    const unknown = { ...other, username: 'nobody at all' }
    expect((await sign(unknown, secret)).body).toEqual((await sign(other, secret)).body)
    expect((await sign(who, secret)).status).toBe(201)
  })

  test('ends with a new password, and when the username is deleted', async () => {
    const [who, other] = [await person(world, profileId), await person(world, profileId)]
    const secrets = [await received(who), await received(other)]
    const changed = body('user_authentication_password_profile_info', { password: 'another password' })
    expect((await world.admin.put(who.link, changed)).status).toBe(200)
    expect((await world.admin.delete(other.link)).status).toBe(204)
    expect((await sign(who, secrets[0] as string)).status).toBe(401)
    expect((await sign(other, secrets[1] as string)).status).toBe(401)
  })

  test('can be guessed five times', async () => {
    const who = await person(world, profileId)
    const secret = await received(who)
    const counts = await statuses(times(8, () => sign(who, 'aaaaaa')))
    expect(counts).toEqual({ 401: 5, 429: 3 })
    expect((await sign(who, secret)).status).toBe(429)
  })
})
