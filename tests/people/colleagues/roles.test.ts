import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addColleague, assignment, colleagueOf, roleId } from '../../builders/people/colleagues.ts'
import { oidcProfile, passwordLink, realmsOf, user } from '../../builders/people/realms.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const assignments = '/v2/permissions/role-assignments'

test('a role is given to a user of the merchant realm, once, and only a role of colleagues', async () => {
  const { accounts } = await realmsOf(world.admin)
  const { userId } = await addColleague(world.admin)
  const support = await roleId(world.admin, 'Support')
  const refusal = async (id: string, role: string) => {
    const { status, body } = await world.admin.post(assignments, assignment(id, role))
    return [status, body.errors?.[0]?.source?.pointer ?? body.errors?.[0]?.source]
  }
  expect((await refusal(userId, await roleId(world.admin, 'Guest Shopper')))[0]).toBe(400)
  expect((await refusal(randomUUID(), support))[0]).toBe(400)
  const member = await world.admin.post(
    `/v2/authentication-realms/${accounts}/user-authentication-info`,
    user(),
  )
  expect((await refusal(member.body.data.id, support))[0]).toBe(400)
  expect((await refusal(userId, support))[0]).toBe(201)
  expect((await refusal(userId, support))[0]).toBe(409)
})

test('the user of an assignment stays', async () => {
  const [{ assignmentId }, { userId }] = [
    await addColleague(world.admin, 'Support'),
    await addColleague(world.admin),
  ]
  const changed = assignment(userId, await roleId(world.admin, 'Support'))
  expect((await world.admin.put(`${assignments}/${assignmentId}`, changed)).status).toBe(400)
})

test.each(['Support', 'eCommerce Admin', 'IT/Developer'])(
  '%s cannot become or make an administrator',
  async (role) => {
    const { client, userId, assignmentId, passwords, passwordId } = await colleagueOf(world, role)
    const boss = await colleagueOf(world, 'Store Admin')
    const { merchants } = await realmsOf(world.admin)
    const realm = `/v2/authentication-realms/${merchants}`
    const admin = await roleId(world.admin, 'Store Admin')
    const changed = passwordLink({ password: 'four other unrelated words' })
    const attempts = [
      client.put(`${assignments}/${assignmentId}`, assignment(userId, admin)),
      client.post(assignments, assignment(userId, admin)),
      client.put(`${boss.passwords}/${boss.passwordId}`, changed),
      client.put(`${passwords}/${passwordId}`, changed),
      client.delete(`${boss.passwords}/${boss.passwordId}`),
      client.put(`${realm}/user-authentication-info/${boss.userId}`, user({ email: 'mine@example.com' })),
      client.delete(`${realm}/user-authentication-info/${boss.userId}`),
      client.post(`${realm}/user-authentication-info`, user()),
      client.post(`${realm}/oidc-profiles`, oidcProfile()),
      client.put(realm, {
        data: { type: 'authentication-realm', redirect_uris: ['https://evil.example.com'] },
      }),
      client.post(
        `${realm}/user-authentication-info/${boss.userId}/user-authentication-oidc-profile-info`,
        body('user_authentication_oidc_profile_info', { oidc_profile_id: randomUUID(), subject: 'mine' }),
      ),
      client.delete(`/v2/colleague-sessions/${boss.sessionId}`),
    ]
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses).toEqual([...Array<number>(11).fill(403), 404])
    expect((await boss.client.get(assignments)).status).toBe(200)
  },
)

test('a token of a shopper beside that of a colleague gives no right that the role lacks', async () => {
  const { client } = await colleagueOf(world, 'Basic')
  const email = `${randomUUID()}@example.com`
  await world.admin.post('/v2/customers', body('customer', { name: 'Ada', email, password: 'eleven horses' }))
  const signedIn = await world.shopper.post(
    '/v2/customers/tokens',
    body('token', { email, password: 'eleven horses' }),
  )
  const { token } = signedIn.body.data
  expect((await world.shopper.get('/v2/carts/one', { 'x-moltin-customer-token': token })).status).toBe(200)
  expect((await client.get('/v2/carts/one', { 'x-moltin-customer-token': token })).status).toBe(403)
})

test('only an administrator erases a colleague', async () => {
  const boss = await colleagueOf(world, 'Store Admin')
  const { client, userId, passwordId } = await colleagueOf(world, 'Support')
  const erasure = (resource_type: string, resource_id: string) => ({
    data: { type: 'erasure_request', resource_type, resource_id },
  })
  const erase = (resource_type: string, id: string) =>
    client.post('/v2/personal-data/erasure-requests', erasure(resource_type, id))
  expect((await erase('user-authentication-info', boss.userId)).status).toBe(403)
  expect((await erase('user-authentication-info', userId.toUpperCase())).status).toBe(403)
  expect((await erase('user-authentication-password-profile-info', passwordId)).status).toBe(403)
  expect((await erase('user-authentication-info', randomUUID())).status).toBe(201)
})
