import { afterAll, beforeEach, expect, test } from 'vitest'
import { addColleague, assignment, roleId } from '../../builders/people/colleagues.ts'
import { oidcLink, oidcProfile, realmsOf, user } from '../../builders/people/realms.ts'
import { body, idOf } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'

let world: World
let client: Client
let realm: string
/** A store of its own: another Store Admin would do. */
beforeEach(async () => {
  world = await openWorld()
  client = world.admin
  realm = `/v2/authentication-realms/${(await realmsOf(client)).merchants}`
})
afterAll(() => world.close())

const assignments = '/v2/permissions/role-assignments'
const refusal = {
  status: 409,
  detail:
    'This would leave the store without a Store Admin who can sign in. First give another colleague the role, who has a password or an identity at a provider.',
}

const statusOf = async (reply: ReturnType<Client['delete']>) => {
  const { status, body } = await reply
  return { status, detail: body?.errors?.[0]?.detail }
}

type Colleague = Awaited<ReturnType<typeof addColleague>>

/** A Store Admin who signs in with a provider only. */
async function addByProvider() {
  const profile = await idOf(client.post(`${realm}/oidc-profiles`, oidcProfile()))
  const userId = await idOf(client.post(`${realm}/user-authentication-info`, user()))
  const links = `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`
  const link = await idOf(client.post(links, oidcLink({ oidc_profile_id: profile, subject: 'ada' })))
  const role = await roleId(client, 'Store Admin')
  const assignmentId = await idOf(client.post(assignments, assignment(userId, role)))
  return { profile, userId, link: `${links}/${link}`, assignmentId }
}

const waysOut: Readonly<Record<string, (admin: Colleague) => ReturnType<Client['delete']>>> = {
  'the role is taken away': ({ assignmentId }) => client.delete(`${assignments}/${assignmentId}`),
  'the role is another one': async ({ assignmentId, userId }) =>
    client.put(`${assignments}/${assignmentId}`, assignment(userId, await roleId(client, 'Support'))),
  'the user is deleted': ({ userId }) => client.delete(`${realm}/user-authentication-info/${userId}`),
  'the password is deleted': ({ passwords, passwordId }) => client.delete(`${passwords}/${passwordId}`),
  'the password profile is deleted': async () => {
    const { body } = await client.get(`${realm}/password-profiles`)
    return client.delete(`${realm}/password-profiles/${body.data[0].id}`)
  },
}

test.each(Object.entries(waysOut))('the last Store Admin cannot go: %s', async (_name, goOut) => {
  const admin = await addColleague(client, 'Store Admin')
  // One who was invited, and has no password yet, does not count.
  await client.post(
    '/v2/colleague-invitations',
    body('colleague_invitation', { name: 'Bob', email: 'bob@example.com', role: 'store-admin' }),
  )
  expect(await statusOf(goOut(admin))).toEqual(refusal)
  await addByProvider()
  expect((await goOut(admin)).status).toBeLessThan(300)
})

test('the last Store Admin who signs in with a provider cannot lose the identity, nor the provider', async () => {
  const { profile, userId, link, assignmentId } = await addByProvider()
  expect(await statusOf(client.delete(link))).toEqual(refusal)
  expect(await statusOf(client.delete(`${realm}/oidc-profiles/${profile}`))).toEqual(refusal)
  expect(await statusOf(client.delete(`${realm}/user-authentication-info/${userId}`))).toEqual(refusal)
  expect(await statusOf(client.delete(`${assignments}/${assignmentId}`))).toEqual(refusal)
  // They are still all there.
  expect((await client.get(link)).status).toBe(200)
})

test('an erasure leaves the last Store Admin, and says why', async () => {
  const { userId } = await addColleague(client, 'Store Admin')
  const { body: request } = await client.post('/v2/personal-data/erasure-requests', {
    data: { type: 'erasure_request', resource_type: 'user-authentication-info', resource_id: userId },
  })
  const ended = await until(async () => {
    const { data } = (await client.get(`/v2/personal-data/erasure-requests/${request.data.id}`)).body
    return data.status === 'CREATED' ? undefined : data
  })
  expect([ended.status, ended.status_description]).toEqual([
    'FAILURE',
    'Nothing was erased: the user is the last Store Admin who can sign in. Give another colleague the role first.',
  ])
})

test.each(Object.keys(waysOut).flatMap((one, i, all) => all.slice(i).map((other) => [one, other] as const)))(
  'of two Store Admins who go at once, one stays: %s, %s',
  async (one, other) => {
    const admins = [await addColleague(client, 'Store Admin'), await addColleague(client, 'Store Admin')]
    const replies = await Promise.all(
      [one, other].map((way, i) => waysOut[way]?.(admins[i] as Colleague) as ReturnType<Client['delete']>),
    )
    expect(replies.map(({ status }) => status)).toContain(409)
    expect(replies.map(({ status }) => status)).not.toContain(500)
    const able = await world.sql(
      `SELECT 1 FROM role_assignments r JOIN user_authentication_password_profile_infos p
       ON p.store_id = r.store_id AND p.user_authentication_info_id = r.user_id
     WHERE r.store_id = $1 AND r.role_id = '55c3c778-1d54-45b7-9da9-9c525aafdcc1'`,
      [world.storeId],
    )
    expect(able.rowCount).toBeGreaterThan(0)
  },
)
