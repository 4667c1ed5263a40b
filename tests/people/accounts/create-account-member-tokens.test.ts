import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rates } from '../../../server/kernel/attempts/rates.ts'
import { account, accountRealm, member, membership, password } from '../../builders/people/accounts.ts'
import {
  byPassword,
  header,
  type Person,
  person,
  profile,
  refusal,
  settle,
  signedIn,
  tokenRequest,
  tokens,
} from '../../builders/people/members.ts'
import { some } from '../../support/long.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { useUp } from '../../support/use-up.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let profileId: string
let ada: Person
const clock = new MovingClock()
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '86400' } })
  profileId = await profile(world.admin)
  ada = await person(world, profileId)
})
afterAll(() => world.close())

const memberships = (home: string) => `/v2/accounts/${home}/account-memberships`

describe('a member who signs in', () => {
  test('gets a token for each account, which names the account and the member', async () => {
    const child = await idOf(
      world.admin.post('/v2/accounts', account({ name: 'Bakery', parent_id: ada.home })),
    )
    await idOf(world.admin.post(memberships(child), membership(ada.id)))
    const before = Math.floor(clock.now().getTime() / 1000)
    const { status, body: answer } = await world.shopper.post(tokens, byPassword(ada))
    expect(status).toBe(201)
    expect(answer.data).toMatchObject([
      { type: 'account_management_authentication_token', account_id: child, account_name: 'Bakery' },
      { account_id: ada.home, account_name: 'Riverside Bakery' },
    ])
    expect(answer.meta).toEqual({
      page: { limit: 25, offset: 0, current: 1, total: 1 },
      results: { total: 2 },
      account_member_id: ada.id,
    })
    expect(answer.links).toMatchObject({ next: null, prev: null })
    expect(answer.links.current).toContain(tokens)
    expect(decodeProtectedHeader(answer.data[0].token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    const { exp = 0, iat = 0, auth_time, epoch: _, ...claims } = decodeJwt(answer.data[0].token)
    expect(claims).toEqual({
      sub: ada.id,
      scope: child,
      store_id: world.storeId,
      realm_id: (await accountRealm(world.admin)).split('/').at(-1),
      ancestors: ada.home,
      account_member_self_management: 'disabled',
    })
    expect(iat - before).toBeLessThan(5)
    expect(iat - Number(auth_time)).toBeLessThan(5)
    expect(exp - iat).toBe(86_400)
    expect(answer.data[0].expires).toBe(new Date(exp * 1000).toISOString())
    expect(decodeJwt(answer.data[1].token).ancestors).toBe('')
  })

  test('gets tokens with the lifetime of the setting', async () => {
    await settle(world, { account_management_authentication_token_timeout_secs: 60 })
    const headers = await signedIn(world, ada)
    expect((await world.shopper.get('/v2/accounts', headers)).status).toBe(200)
    clock.forward(61)
    const { status, body: late } = await world.shopper.get('/v2/accounts', headers)
    expect([status, late.errors[0].detail]).toEqual([401, 'The account management token has expired.'])
    await settle(world, { account_management_authentication_token_timeout_secs: 86_400 })
  })

  test('of many accounts gets the tokens of one page', async () => {
    const bea = await person(world, profileId)
    await world.sql(
      `WITH added AS (
         INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
         SELECT $1, gen_random_uuid(), later, later, '{"name":"Branch"}' FROM generate_series(1, 9999), (SELECT now() + interval '1 day' AS later) t RETURNING id)
       INSERT INTO account_memberships (store_id, account_id, id, created_at, updated_at, doc)
       SELECT $1, id, gen_random_uuid(), now() + interval '1 day', now(), json_build_object('account_member_id', $2::text,
         'relationships', json_build_object('account', json_build_object('data', json_build_object('id', id))))
       FROM added`,
      [world.storeId, bea.id],
    )
    const page = `${tokens}?page[limit]=3&page[offset]=9999`
    const { body: answer } = await world.shopper.post(page, byPassword(bea))
    expect(answer.data).toHaveLength(1)
    expect(answer.data[0].account_id).toBe(bea.home)
    expect(answer.meta).toMatchObject({
      page: { limit: 3, offset: 9999, current: 3334, total: 3334 },
      results: { total: 10_000 },
    })
    expect(answer.links.next).toBeNull()
    expect(answer.links.prev).toContain('page%5Boffset%5D=9996')
    expect((await world.shopper.post(tokens, byPassword(bea))).body.data).toHaveLength(25)
    const refused = await world.shopper.post(`${tokens}?page[limit]=101`, byPassword(bea))
    expect(refusal(refused)).toEqual([400, 'bad_page', 'page[limit]'])
  })

  test('of no account gets no token', async () => {
    const cam = await person(world, profileId)
    await world.admin.delete(`/v2/accounts/${cam.home}`)
    const { status, body: answer } = await world.shopper.post(tokens, byPassword(cam))
    expect([status, answer.data, answer.meta.account_member_id]).toEqual([201, [], cam.id])
    expect(answer.meta.results.total).toBe(0)
  })

  test('may send an expired token, and the response is not stored for an Idempotency-Key', async () => {
    const headers = { [header]: 'ended', 'idempotency-key': 'sign-in' }
    const first = await world.shopper.post(tokens, byPassword(ada), headers)
    const second = await world.shopper.post(tokens, byPassword(ada), headers)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.headers.get('idempotency-replayed')).toBeNull()
    const { rows } = await world.sql(`SELECT FROM idempotency_keys WHERE key LIKE '% sign-in'`)
    expect(rows).toEqual([])
  })
})

describe('a sign-in by password', () => {
  test('ignores the case of the username, but not of the password', async () => {
    const upper = byPassword(ada, { username: ada.username.toUpperCase() })
    expect((await world.shopper.post(tokens, upper)).status).toBe(201)
    const shouted = byPassword(ada, { password: password.toUpperCase() })
    expect((await world.admin.post(tokens, shouted)).status).toBe(401)
  })

  test('is refused in the same words for a wrong username and a wrong password', async () => {
    const other = await profile(world.admin)
    const wrong = [
      byPassword(ada, { password: 'x' }),
      byPassword(ada, { password: '' }),
      byPassword(ada, { username: 'nobody at all' }),
      byPassword(ada, { password_profile_id: other }),
      byPassword(ada, { username: `\u0130${ada.username}` }),
    ]
    const answers = await Promise.all(wrong.map((fields) => world.admin.post(tokens, fields)))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(answers[0]?.status).toBe(401)
    expect(answers[0]?.body.errors[0].detail).toBe('The username or the password is not valid.')
  })

  test('needs an existing profile of this store', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000000'
    const unknown = byPassword(ada, { password_profile_id: nowhere })
    expect(refusal(await world.shopper.post(tokens, unknown))).toEqual([
      404,
      'not_found',
      'data.password_profile_id',
    ])
    expect((await world.other.post(tokens, byPassword(ada))).status).toBe(404)
  })
})

test('a missing field is named for each mechanism', async () => {
  const cases: [mechanism: string, fields: object, source: string][] = [
    ['password', {}, 'data.password_profile_id'],
    ['password', { password_profile_id: profileId }, 'data.username'],
    ['password', { password_profile_id: profileId, username: 'a' }, 'data.password'],
    ['password', { password_profile_id: 'x', username: 'a', password: 'b' }, 'data.password_profile_id'],
    ['passwordless', { password_profile_id: profileId, username: 'a' }, 'data.one_time_password_token'],
    ['self_signup', { password_profile_id: profileId, username: 'a', password }, 'data.name'],
    ['oidc', {}, 'data.oauth_authorization_code'],
    ['oidc', { oauth_authorization_code: 'x', oauth_redirect_uri: 'y' }, 'data.oauth_code_verifier'],
    ['magic', {}, 'data.authentication_mechanism'],
  ]
  for (const [mechanism, fields, source] of cases) {
    const reply = await world.shopper.post(tokens, tokenRequest(mechanism, fields))
    expect(refusal(reply), mechanism).toEqual([400, 'invalid_field', source])
  }
  const wordy = tokenRequest('password', { password_profile_id: profileId, username: 'a', password: 5 })
  expect(JSON.stringify((await world.shopper.post(tokens, wordy)).body)).not.toContain('not 5')
})

describe('a switch of accounts by token', () => {
  const switched = tokenRequest('account_management_authentication_token')

  test('returns new tokens for all accounts', async () => {
    const headers = await signedIn(world, ada)
    clock.forward(3600)
    const { status, body: answer } = await world.shopper.post(tokens, switched, headers)
    expect([status, answer.data.length]).toEqual([201, 2])
    expect(answer.meta.account_member_id).toBe(ada.id)
    const [first] = answer.data
    expect(Date.parse(first.expires)).toBeGreaterThan(clock.now().getTime() + 86_000_000)
    const list = await world.shopper.get('/v2/accounts', { [header]: first.token })
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([first.account_id])
  })

  test('needs a valid token', async () => {
    expect(refusal(await world.shopper.post(tokens, switched))).toEqual([
      400,
      'bad_request',
      'EP-Account-Management-Authentication-Token',
    ])
    expect((await world.shopper.post(tokens, switched, { [header]: 'x' })).status).toBe(401)
    const headers = await signedIn(world, ada)
    expect((await world.other.post(tokens, switched, headers)).status).toBe(401)
  })
})

describe('a sign-up', () => {
  let n = 0
  const newcomer = (fields: object = {}) => {
    const username = `new-${++n}@example.com`
    const names = { name: 'Una New', email: username, family_name: null }
    return tokenRequest('self_signup', {
      password_profile_id: profileId,
      username,
      password,
      ...names,
      ...fields,
    })
  }

  test('is refused unless the store has enabled it', async () => {
    const users = async () => (await world.admin.get('/v2/account-members')).body.meta.results.total
    const before = await users()
    expect(refusal(await world.shopper.post(tokens, newcomer()))).toEqual([403, 'forbidden', undefined])
    expect(await users()).toBe(before)
  })

  test('creates a member, who can sign in', async () => {
    await settle(world, { enable_self_signup: true })
    const { status, body: answer } = await world.shopper.post(tokens, newcomer())
    expect([status, answer.data]).toEqual([201, []])
    const { body: one } = await world.admin.get(`/v2/account-members/${answer.meta.account_member_id}`)
    expect(one.data).toMatchObject({ name: 'Una New', email: `new-${n}@example.com`, family_name: null })
    const { rows } = await world.feed('SELECT DISTINCT actor FROM changes WHERE id = $1', [one.data.id])
    expect(rows).toEqual([{ actor: one.data.id }])
    const back = { password_profile_id: profileId, username: `NEW-${n}@example.com`, password }
    const again = await world.shopper.post(tokens, tokenRequest('password', back))
    expect(again.body.meta.account_member_id).toBe(answer.meta.account_member_id)
  })

  test('also creates an account if the store has set that', async () => {
    await settle(world, { enable_self_signup: true, auto_create_account_for_account_members: true })
    const { body: answer } = await world.shopper.post(tokens, newcomer({ name: 'Ola New' }))
    expect(answer.data).toMatchObject([{ account_name: 'Ola New' }])
    const list = await world.shopper.get('/v2/accounts', { [header]: answer.data[0].token })
    expect(list.body.data).toHaveLength(1)
  })

  test('creates one user of a username, also under concurrent requests, and the others leave nothing behind', async () => {
    const total = async () => (await world.admin.get('/v2/account-members')).body.meta.results.total
    const before = await total()
    const one = newcomer()
    expect(await statuses(times(4, () => world.admin.post(tokens, one)))).toEqual({ 201: 1, 409: 3 })
    expect(await total()).toBe(before + 1)
    const late = await world.admin.post(tokens, one)
    expect(refusal(late)).toEqual([409, 'conflict', 'data.username'])
  })

  test.each(['page[limit]=1000', 'filter=eq(nope,1)', 'page[after]=x', 'sort=nope'])(
    'creates nobody if the page is refused: %s',
    async (query) => {
      const one = newcomer()
      expect((await world.shopper.post(`${tokens}?${query}`, one)).status).toBe(400)
      expect((await world.shopper.post(tokens, one)).status).toBe(201)
    },
  )

  test('is limited per client address, except through the server of a storefront', async () => {
    useUp(world, 'signUps')
    const one = newcomer()
    expect(refusal(await world.shopper.post(tokens, one))).toEqual([429, 'rate_limited', undefined])
    expect((await world.admin.post(tokens, one)).status).toBe(201)
    clock.forward(rates.signUps.windowMs / 1000)
    expect((await world.shopper.post(tokens, newcomer())).status).toBe(201)
  })

  test('that is refused for too many guesses has created nobody', async () => {
    const signUp = (username: string) => world.shopper.post(tokens, newcomer({ username }))
    expect((await signUp('taken')).status).toBe(201)
    for (const fresh of some(1, ['fresh-1', 'fresh-2', 'fresh-3', 'fresh-4'])) {
      await world.sql('DELETE FROM attempts')
      // From one address, and each of another username, or it would be slowed down for that.
      const names = Array.from({ length: 19 }, (_, i) => `taken-${i}`)
      for (const name of names) await signUp(name)
      await world.sql('DELETE FROM attempts')
      for (const name of names) expect((await signUp(name)).status).toBe(409)
      const [last] = (await Promise.all([signUp(fresh), ...names.slice(0, 5).map(signUp)])).slice(0, 1)
      const { rows } = await world.sql(
        'SELECT 1 FROM user_authentication_password_profile_infos WHERE username = $1',
        [fresh],
      )
      expect([last?.status, rows.length]).toEqual(last?.status === 201 ? [201, 1] : [429, 0])
    }
    await world.sql('DELETE FROM attempts')
  })

  test('is refused with an invalid user or password, and the field is named', async () => {
    const strict = await profile(world.admin, { username_format: 'email' })
    const cases: [fields: object, status: number, source: string][] = [
      [{ password: 'short' }, 400, 'data.password'],
      [{ email: 'x' }, 400, 'data.email'],
      [{ name: '' }, 400, 'data.name'],
      [{ username: 'x', password_profile_id: strict }, 400, 'data.username'],
      [{ password_profile_id: '00000000-0000-4000-8000-000000000000' }, 422, 'data.password_profile_id'],
    ]
    for (const [fields, status, source] of cases) {
      const reply = await world.shopper.post(tokens, newcomer(fields))
      expect([reply.status, reply.body.errors[0].source]).toEqual([status, source])
    }
  })
})

test('a sign-in needs a store token and the right type', async () => {
  const id = await member(world.admin)
  const home = await idOf(world.admin.post('/v2/accounts', account()))
  await idOf(world.admin.post(memberships(home), membership(id)))
  expect((await world.nobody.post(tokens, byPassword(ada))).status).toBe(401)
  expect((await world.shopper.post(tokens, body('account'))).status).toBe(400)
})
