import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessTable, mayDo } from '../../../server/kernel/auth/access.ts'
import { type Operation, rightFor } from '../../../server/kernel/declare/operation.ts'
import { colleagueRoles, isAdministrator } from '../../../server/people/permissions/role-kinds.ts'
import { addColleague, colleagueOf, colleaguePassword, signInAs } from '../../builders/people/colleagues.ts'
import { realmsOf } from '../../builders/people/realms.ts'
import { leadsToUnborn, operations, Samples, sameForAllStores } from '../../builders/samples.ts'
import { takesAll } from '../../support/long.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** The Store Admin whom the other roles attack, by the names of path parameters. */
type Victim = Awaited<ReturnType<typeof addColleague>> & { readonly merchants: string }

let world: World
let samples: Samples
let victim: Victim
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
  const boss = await addColleague(world.admin, 'Store Admin')
  victim = { ...boss, ...(await realmsOf(world.admin)) }
})
afterAll(() => world.close())

const access: AccessTable = appAndWorkshop.access
const writes = operations.filter((one) => one.access === 'write' && one.path.includes(':'))

/** Addresses of the operation that name something of the victim, in the merchant realm where they name a realm. */
function aimedAt({ path }: Operation): string[] {
  const { userId, passwordId, assignmentId = '', merchants } = victim
  return [userId, passwordId, assignmentId, merchants].map((last) =>
    path
      .replace(/:user_authentication_info_id\b/, userId)
      .replace(/:realm_id\b/, merchants)
      .replace(/:\w+/g, last),
  )
}

type Roles = typeof colleagueRoles

/** What is about people is tried by every role. Of the rest, in the usual form, each operation by one of `roles`. */
const isTriedBy = (operation: Operation, kind: string, roles: Roles): boolean =>
  takesAll ||
  /^\/v2\/(authentication-realms|merchant-realm|permissions|personal-data)/.test(operation.path) ||
  roles[operations.indexOf(operation) % roles.length]?.kind === kind

/** All that the victim is and signs in with. */
async function stateOf({ userId, passwords, assignmentId, merchants }: Victim) {
  const realm = `/v2/authentication-realms/${merchants}`
  const paths = [
    realm,
    `${realm}/user-authentication-info/${userId}`,
    `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`,
    passwords,
    `${realm}/password-profiles`,
    `${realm}/oidc-profiles`,
    `/v2/permissions/role-assignments/${assignmentId}`,
  ]
  const replies = await Promise.all(paths.map((path) => world.admin.get(path)))
  return replies.map(({ status, body }) => [status, body])
}

// First, since the attacks below change what the samples of this store are made with.
const reads = operations.filter(
  (one) =>
    one.of.is === 'resource' &&
    one.of.name === 'get' &&
    one.access === 'read' &&
    !leadsToUnborn(one) &&
    !sameForAllStores.includes(one.id),
)

describe.each(colleagueRoles)('$name of another store', ({ kind, name }) => {
  test('reaches nothing of this one', async () => {
    const { id: storeId } = (await world.other.get('/v2/stores')).body.data[0]
    const { client } = await colleagueOf({ ...world, admin: world.other, storeId }, name)
    for (const operation of reads.filter((one) => isTriedBy(one, kind, colleagueRoles))) {
      const { path } = await samples.call(operation)
      const expected = mayDo(access, kind, operation.area, 'read') ? 404 : 403
      expect([path, (await client.get(path)).status]).toEqual([path, expected])
      expect([path, (await world.admin.get(path)).status]).toEqual([path, 200])
    }
  })
})

const rightOf = (one: Operation) => rightFor(one) as 'update' | 'write'
const lower = colleagueRoles.filter(({ kind }) => !isAdministrator(kind))

describe.each(lower)('$name', ({ kind, name }) => {
  test('changes nothing of a Store Admin, whatever operation their ids are sent to', async () => {
    const { client, assignmentId } = await colleagueOf(world, name)
    const assignmentPath = `/v2/permissions/role-assignments/${assignmentId}`
    const before = [await stateOf(victim), (await world.admin.get(assignmentPath)).body]
    for (const operation of writes) {
      const able = lower.filter((one) => mayDo(access, one.kind, operation.area, rightOf(operation)))
      if (!able.some((one) => one.kind === kind) || !isTriedBy(operation, kind, able)) continue
      const body = await samples.call(operation).then((one) => one.body)
      for (const path of aimedAt(operation)) {
        const reply = await client.send(operation.method, path, {
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        expect(reply.status, `${operation.id} at ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(500)
      }
    }
    expect([await stateOf(victim), (await world.admin.get(assignmentPath)).body]).toEqual(before)
    expect((await signInAs(world, victim.email)).body.data?.role).toBe('Store Admin')
  }, 120_000)
})

test('a cookie is of no use in another store', async () => {
  const { cookie } = await colleagueOf(world, 'Store Admin')
  const { id: other } = (await world.other.get('/v2/stores')).body.data[0]
  const goOn = (sent: string) =>
    world.nobody.post(
      '/v2/colleague-tokens',
      { data: { type: 'colleague_token', authentication_mechanism: 'session', store: other } },
      { cookie: sent, 'sec-fetch-site': 'same-origin' },
    )
  expect((await goOn(cookie.replace(world.storeId, other))).status).toBe(401)
  // The cookie names its store, and data.store does not change that.
  const { status, body } = await goOn(cookie)
  expect([status, body.data.store_id]).toEqual([201, world.storeId])
})

test('an unknown name, a wrong password, and a password without a role are told apart by nobody', async () => {
  const [known, roleless] = [await addColleague(world.admin, 'Support'), await addColleague(world.admin)]
  const answerTo = async (email: string) => {
    const { status, body, headers } = await signInAs(world, email, { password: `not ${colleaguePassword}` })
    const names = [...headers.keys()].filter((one) => one !== 'x-request-id').sort()
    return { status, body, names }
  }
  const wrong = await answerTo(known.email)
  expect(wrong.status).toBe(401)
  expect(await answerTo('nobody@example.com')).toEqual(wrong)
  expect(await answerTo(roleless.email)).toEqual(wrong)
  // Nor by the number of guesses.
  for (let i = 0; i < 4; i++)
    for (const email of [known.email, 'nobody@example.com']) expect((await answerTo(email)).status).toBe(401)
  expect((await answerTo('nobody@example.com')).status).toBe((await answerTo(known.email)).status)
})

test('the last Store Admin cannot be erased', async () => {
  const admin: Client = world.other
  const { userId, assignmentId } = await addColleague(admin, 'Store Admin')
  const { body: list } = await admin.get('/v2/permissions/role-assignments?page[limit]=100')
  const storeAdmin = (await admin.get('/v2/permissions/built-in-roles')).body.data.find(
    (one: { name: string }) => one.name === 'Store Admin',
  ).id
  for (const one of list.data)
    if (one.id !== assignmentId && one.relationships.role.data.id === storeAdmin)
      expect((await admin.delete(`/v2/permissions/role-assignments/${one.id}`)).status).toBe(204)
  const { body: request } = await admin.post('/v2/personal-data/erasure-requests', {
    data: {
      type: 'erasure_request',
      resource_type: 'user-authentication-info',
      resource_id: userId,
    },
  })
  const statusOf = async () =>
    (await admin.get(`/v2/personal-data/erasure-requests/${request.data.id}`)).body.data.status
  await expect.poll(statusOf, { timeout: 10_000 }).toBe('FAILURE')
  expect((await admin.get(`/v2/permissions/role-assignments/${assignmentId}`)).status).toBe(200)
})
