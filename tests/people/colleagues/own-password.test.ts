import { afterAll, beforeAll, expect, test } from 'vitest'
import { colleagueOf, colleaguePassword, signInAs } from '../../builders/people/colleagues.ts'
import { oidcLink, oidcProfile, realmsOf } from '../../builders/people/realms.ts'
import { body, idOf } from '../../support/requests.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await colleagueOf(world, 'Store Admin')
})
afterAll(() => world.close())

const next = 'four other unrelated words'
const change = (client: Client, fields: object = {}, headers = {}) =>
  client.put(
    '/v2/permissions/own/password',
    body('own_password', { current_password: colleaguePassword, password: next, ...fields }),
    headers,
  )
const detailOf = async (reply: ReturnType<typeof change>) => {
  const { status, body } = await reply
  return [status, body.errors?.[0]?.detail]
}
const works = async (client: Client) => (await client.get('/v2/permissions/own')).status

test.each(['Basic', 'Support', 'Org Admin'])('%s changes their own password, and goes on', async (role) => {
  const { email, client, cookie, userId } = await colleagueOf(world, role)
  const elsewhere = await signInAs(world, email)
  const { status, body: changed, headers } = await change(client)
  expect([status, changed.data.type, changed.data.user_id]).toEqual([201, 'colleague_token', userId])
  const renewed = world.clientWith(changed.data.token)
  expect(await works(renewed)).toBe(200)
  // The other sign-ins have ended, and so has the one of the request: somebody may have stolen its cookie.
  expect(await works(client)).toBe(401)
  expect(await works(world.clientWith(elsewhere.body.data.token))).toBe(401)
  const goOn = (sent: string) =>
    world.nobody.post(
      '/v2/colleague-tokens',
      body('colleague_token', { authentication_mechanism: 'session' }),
      { cookie: sent, 'sec-fetch-site': 'same-origin' },
    )
  expect((await goOn(cookie)).status).toBe(401)
  expect((await goOn(headers.get('set-cookie')?.split(';')[0] ?? '')).status).toBe(201)
  expect((await signInAs(world, email)).status).toBe(401)
  expect((await signInAs(world, email, { password: next })).status).toBe(201)
  const { body: sessions } = await world.admin.get(`/v2/colleague-sessions?filter=eq(user_id,${userId})`)
  expect(sessions.data).toHaveLength(2)
})

test('what is wrong is said, and nothing changes', async () => {
  const { client, email } = await colleagueOf(world, 'Support')
  expect(await detailOf(change(client, { current_password: 'another password' }))).toEqual([
    422,
    'data.current_password is not your current password.',
  ])
  expect(await detailOf(change(client, { password: 'too short' }))).toEqual([
    422,
    expect.stringContaining('at least 12 characters'),
  ])
  expect(await detailOf(change(client, { password: 'qwertyuiop123' }))).toEqual([
    422,
    expect.stringContaining('most common'),
  ])
  expect(await detailOf(change(client, { password: colleaguePassword }))).toEqual([
    422,
    'data.password must differ from the current password.',
  ])
  expect((await change(client, {}, { prefer: 'dry-run' })).status).toBe(400)
  expect((await change(world.admin)).status).toBe(422)
  expect((await change(world.shopper)).status).toBe(403)
  expect((await signInAs(world, email)).status).toBe(201)
})

test('a wrong current password counts as one at the sign-in', async () => {
  const { client, email } = await colleagueOf(world, 'Support')
  for (let i = 0; i < 3; i++)
    expect((await change(client, { current_password: `wrong ${i}` })).status).toBe(422)
  for (let i = 0; i < 2; i++)
    expect((await signInAs(world, email, { password: `wrong ${i}` })).status).toBe(401)
  expect((await change(client)).status).toBe(429)
  expect((await signInAs(world, email)).status).toBe(429)
})

test('of two changes at once with the same password, one succeeds', async () => {
  const { client } = await colleagueOf(world, 'Support')
  const replies = await Promise.all([change(client), change(client, { password: 'yet another four words' })])
  const statuses = replies.map(({ status }) => status).sort()
  expect(statuses[0]).toBe(201)
  expect([401, 409, 422]).toContain(statuses[1])
})

test('the password is in no change of the feed, nor in the audit', async () => {
  const { client, userId } = await colleagueOf(world, 'Support')
  const password = 'a phrase that is nowhere else'
  expect((await change(client, { password })).status).toBe(201)
  const { rows } = await world.feed('SELECT c::text AS text FROM changes c WHERE store_id = $1', [
    world.storeId,
  ])
  const texts = rows.map(({ text }) => text).join('\n')
  expect(texts).toContain(userId)
  expect(texts).not.toContain(password)
  expect(texts).not.toContain('argon2')
})

test('a colleague without a password learns that they have none', async () => {
  const { client, userId, passwords, passwordId } = await colleagueOf(world, 'Support')
  const realm = `/v2/authentication-realms/${(await realmsOf(world.admin)).merchants}`
  const profile = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
  await world.admin.post(
    `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`,
    oidcLink({ oidc_profile_id: profile, subject: userId }),
  )
  await world.admin.delete(`${passwords}/${passwordId}`)
  // Their session ended with it: this one is made as their provider would.
  const { beginSession } = await import('../../../server/people/colleagues/colleague-sessions.ts')
  const { rows } = await world.sql(
    'SELECT epoch FROM user_token_epochs WHERE store_id = $1 AND user_id = $2',
    [world.storeId, userId],
  )
  const { sessionId } = await beginSession(
    world.work.actingAs(userId),
    { userId, tokenEpoch: rows[0].epoch },
    { device: '', address: '' },
  )
  const { token } = await world.server.instance.tokens.issueToPerson(world.storeId, userId, sessionId)
  expect(await detailOf(change(world.clientWith(token)))).toEqual([
    422,
    'You have no password: you sign in with a provider. A Store Admin can send you a link that sets one.',
  ])
  expect(await works(client)).toBe(401)
})
