import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addColleague,
  assignment,
  colleagueOf,
  colleaguePassword,
  roleId,
  signInAs,
} from '../../builders/people/colleagues.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const account = (name: string) => body('account', { name })

test('a colleague signs in, works with the rights of the role, and is the author of what they do', async () => {
  const { client, userId, email } = await colleagueOf(world, 'Support')
  const created = await client.post('/v2/accounts', account('Birch'))
  expect(created.status).toBe(201)
  const { body: audit } = await world.admin.get(`/v2/audit?filter=eq(id,${created.body.data.id})`)
  expect(audit.data[0].initiator).toEqual({
    'access-token-id': userId,
    'access-token-store-id': world.storeId,
    'access-token-type': 'colleague-token',
    'access-token-name': 'Ada Marsh',
    'access-token-email': email,
  })
  const { body: own } = await client.get('/v2/permissions/own')
  expect(own.data).toMatchObject({ kind: 'support', role: 'Support', name: 'Ada Marsh', email })
  expect(own.data.areas).toMatchObject({ accounts: 'rw', products: 'r' })
  expect(own.data.areas).not.toHaveProperty('application-keys')
})

test('a right that the role does not have is refused with its name, and with who can give it', async () => {
  const { client } = await colleagueOf(world, 'Support')
  const product = {
    data: { type: 'product', attributes: { name: 'A', commodity_type: 'physical', status: 'live' } },
  }
  const { status, body: refusal } = await client.post('/pcm/products', product)
  expect([status, refusal.errors[0].detail]).toEqual([
    403,
    'You do not have permission to access this resource. Your role, Support, does not have the right to write products. These roles have it: Marketing/Sales, eCommerce Admin, Store Admin, Org Admin. A Store Admin can give you another role.',
  ])
  expect((await client.get('/pcm/products')).status).toBe(200)
})

test('a wrong password, an unknown name and a user of another realm get the same refusal', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  const refusals = [
    await signInAs(world, email, { password: 'another password' }),
    await signInAs(world, 'nobody@example.com'),
  ]
  for (const { status, body: refusal } of refusals)
    expect([status, refusal.errors[0].detail]).toEqual([401, 'The username or the password is not valid.'])
})

test('a user without a role cannot sign in, and the refusal is in the audit', async () => {
  const { email, userId } = await addColleague(world.admin)
  const { status, body: refusal } = await signInAs(world, email)
  expect([status, refusal.errors[0].detail]).toEqual([
    403,
    'You have no role in this store. Ask a Store Admin to give you one.',
  ])
  const { body: audit } = await world.admin.get(`/v2/audit?filter=eq(id,${userId})`)
  expect(audit.data[0]).toMatchObject({ event: 'colleague_token.refused', after: { mechanism: 'password' } })
})

test('after five wrong passwords the right one is refused, too', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  for (let i = 0; i < 5; i++)
    expect((await signInAs(world, email, { password: `wrong ${i}` })).status).toBe(401)
  expect((await signInAs(world, email)).status).toBe(429)
})

test('a token of a colleague is of no use in another store, nor is their password', async () => {
  const { client, email } = await colleagueOf(world, 'Store Admin')
  const { body: theirs } = await world.other.post('/v2/accounts', account('Theirs'))
  expect((await client.get(`/v2/accounts/${theirs.data.id}`)).status).toBe(404)
  const { body: stores } = await world.other.get('/v2/stores')
  expect((await signInAs(world, email, { store: stores.data[0].id })).status).toBe(401)
})

test('a sign-in that ends, a role that is taken away and a new password end the tokens', async () => {
  await colleagueOf(world, 'Store Admin')
  const works = async ({ client }: Awaited<ReturnType<typeof colleagueOf>>) =>
    (await client.get('/v2/accounts')).status
  const ended = await colleagueOf(world, 'Support')
  expect(await works(ended)).toBe(200)
  expect((await ended.client.delete(`/v2/colleague-sessions/${ended.sessionId}`)).status).toBe(204)
  expect(await works(ended)).toBe(401)

  const dismissed = await colleagueOf(world, 'Support')
  expect(await works(dismissed)).toBe(200)
  await world.admin.delete(`/v2/permissions/role-assignments/${dismissed.assignmentId}`)
  await expect.poll(() => works(dismissed), { timeout: 2000 }).toBe(401)

  const renewed = await colleagueOf(world, 'Support')
  await world.admin.put(
    `${renewed.passwords}/${renewed.passwordId}`,
    body('user_authentication_password_profile_info', { password: 'four other unrelated words' }),
  )
  await expect.poll(() => works(renewed), { timeout: 2000 }).toBe(401)
})

test('a change of the role takes effect within a second', async () => {
  const { client, assignmentId, userId } = await colleagueOf(world, 'Support')
  expect((await client.post('/v2/promotions', {})).status).toBe(403)
  const role = await roleId(world.admin, 'Promotions Manager')
  expect(
    (await world.admin.put(`/v2/permissions/role-assignments/${assignmentId}`, assignment(userId, role)))
      .status,
  ).toBe(200)
  await expect.poll(async () => (await client.post('/v2/promotions', {})).status, { timeout: 2000 }).toBe(400)
})

test('the cookie goes on with a sign-in, for pages of this server only', async () => {
  const { cookie, sessionId, client } = await colleagueOf(world, 'Support')
  const goOn = (headers: Record<string, string>) =>
    world.nobody.post(
      '/v2/colleague-tokens',
      body('colleague_token', { authentication_mechanism: 'session' }),
      headers,
    )
  const own = { cookie, 'sec-fetch-site': 'same-origin' }
  const { status, body: next } = await goOn(own)
  expect([status, next.data?.session_id]).toEqual([201, sessionId])
  expect((await world.clientWith(next.data.token).get('/v2/accounts')).status).toBe(200)
  expect((await goOn({ cookie })).status).toBe(403)
  expect((await goOn({ cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await goOn({ cookie, origin: 'https://evil.example.com' })).status).toBe(403)
  expect((await goOn({ ...own, cookie: `${cookie}x` })).status).toBe(401)
  await client.delete(`/v2/colleague-sessions/${sessionId}`)
  expect((await goOn(own)).status).toBe(401)
})

test('the cookie cannot be read by scripts, and other sites cannot send it', async () => {
  const { email } = await addColleague(world.admin, 'Support')
  const { headers } = await signInAs(world, email)
  expect(headers.get('set-cookie')).toMatch(
    /^sutler_colleague=[\w.-]+; Path=\/v2\/colleague-tokens; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  )
})

test('colleagues see and end their own sign-ins, and a Store Admin those of all', async () => {
  const [one, other, boss] = [
    await colleagueOf(world, 'Support'),
    await colleagueOf(world, 'Basic'),
    await colleagueOf(world, 'Store Admin'),
  ]
  const seen = async ({ client }: typeof one) =>
    (await client.get('/v2/colleague-sessions?page[limit]=100')).body.data.map(({ id }: { id: string }) => id)
  expect(await seen(one)).toEqual([one.sessionId])
  expect(await seen(boss)).toEqual(expect.arrayContaining([one.sessionId, other.sessionId, boss.sessionId]))
  expect((await other.client.delete(`/v2/colleague-sessions/${one.sessionId}`)).status).toBe(404)
  expect((await boss.client.delete(`/v2/colleague-sessions/${one.sessionId}`)).status).toBe(204)
  expect((await one.client.get('/v2/accounts')).status).toBe(401)
})

test('the password of a colleague has at least 12 characters, and is not a common one', async () => {
  const { passwords, passwordId } = await addColleague(world.admin)
  const change = async (password: string) =>
    (
      await world.admin.put(
        `${passwords}/${passwordId}`,
        body('user_authentication_password_profile_info', { password }),
      )
    ).body.errors?.[0].detail
  expect(await change('eleven char')).toContain('at least 12 characters')
  expect(await change('qwertyuiop123')).toContain('most common')
  expect(await change(colleaguePassword)).toBeUndefined()
})
