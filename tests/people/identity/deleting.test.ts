import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  oidcLink,
  oidcProfile,
  passwordLink,
  passwordProfile,
  realmsOf,
  user,
} from '../../builders/people/realms.ts'
import { idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realm: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  realm = `/v2/authentication-realms/${(await realmsOf(world.admin)).accounts}`
})
afterAll(() => world.close())

/** Two users, each linked to one profile of each kind. */
async function household() {
  const oidc = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
  const passwords = await idOf(world.admin.post(`${realm}/password-profiles`, passwordProfile()))
  const members = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const id = await idOf(world.admin.post(`${realm}/user-authentication-info`, user({ name })))
      const at = `${realm}/user-authentication-info/${id}`
      const oidcLinks = `${at}/user-authentication-oidc-profile-info`
      const passwordLinks = `${at}/user-authentication-password-profile-info`
      const oidcId = await idOf(
        world.admin.post(oidcLinks, oidcLink({ oidc_profile_id: oidc, subject: name })),
      )
      const passwordId = await idOf(
        world.admin.post(passwordLinks, passwordLink({ password_profile_id: passwords, username: name })),
      )
      return { id, at, oidcLinks, passwordLinks, oidcId, passwordId }
    }),
  )
  return { oidc, passwords, members: members as [(typeof members)[0], (typeof members)[0]] }
}

const total = async (path: string) => (await world.admin.get(path)).body.meta.results.total
const gone = async (ids: string[]) => {
  const { rows } = await world.feed(
    `SELECT type, id FROM changes WHERE event = 'deleted' AND doc IS NULL AND id = ANY($1) ORDER BY position`,
    [ids],
  )
  return rows.map(({ type, id }) => [type, id])
}
/** Totals are kept apart from the rows: each must be what counting says. */
async function totalsAreRight() {
  const tables = [
    ['user_authentication_infos', 'realm_id'],
    ['oidc_profiles', 'realm_id'],
    ['password_profiles', 'realm_id'],
    ['user_authentication_oidc_profile_infos', 'user_authentication_info_id'],
    ['user_authentication_password_profile_infos', 'user_authentication_info_id'],
  ]
  for (const [table, scope] of tables) {
    const { rows } = await world.sql(
      `SELECT scope, kept.n, counted.n FROM (
         SELECT scope, sum(n) AS n FROM (SELECT scope, n FROM list_totals WHERE list = $1
           UNION ALL SELECT scope, n FROM list_deltas WHERE list = $1) both_kinds GROUP BY scope) kept
       FULL JOIN (SELECT ${scope} AS scope, count(*) AS n FROM ${table} GROUP BY 1) counted USING (scope)
       WHERE coalesce(kept.n, 0) <> coalesce(counted.n, 0)`,
      [`${table}.${scope}`],
    )
    expect(rows, table).toEqual([])
  }
}

test('deleting a user deletes their links, and nobody else’s', async () => {
  const { members } = await household()
  const [a, b] = members
  const before = await total(`${realm}/user-authentication-info`)
  expect((await world.admin.delete(a.at)).status).toBe(204)
  expect(await total(`${realm}/user-authentication-info`)).toBe(before - 1)
  for (const path of [a.oidcLinks, `${a.oidcLinks}/${a.oidcId}`, a.passwordLinks])
    expect((await world.admin.get(path)).status).toBe(404)
  expect(await total(b.oidcLinks)).toBe(1)
  expect(await total(b.passwordLinks)).toBe(1)
  expect(await gone([a.id, a.oidcId, a.passwordId, b.id, b.oidcId])).toEqual(
    expect.arrayContaining([
      ['user_authentication_info', a.id],
      ['user_authentication_oidc_profile_info', a.oidcId],
      ['user_authentication_password_profile_info', a.passwordId],
    ]),
  )
  expect((await gone([b.id, b.oidcId, b.passwordId])).length).toBe(0)
  await totalsAreRight()
})

test('deleting a profile deletes its links, and the users stay', async () => {
  const { oidc, passwords, members } = await household()
  const [a, b] = members
  expect((await world.admin.delete(`${realm}/oidc-profiles/${oidc}`)).status).toBe(204)
  expect((await world.admin.delete(`${realm}/password-profiles/${passwords}`)).status).toBe(204)
  for (const member of members) {
    expect((await world.admin.get(member.at)).status).toBe(200)
    expect(await total(member.oidcLinks)).toBe(0)
    expect(await total(member.passwordLinks)).toBe(0)
  }
  const links = [a.oidcId, b.oidcId, a.passwordId, b.passwordId]
  expect((await gone([...links, oidc, passwords])).length).toBe(6)
  await totalsAreRight()
})

test('links that are created while their user or profile is deleted leave nothing behind', async () => {
  const { oidc, members } = await household()
  const [a, b] = members
  const makeMany = (links: string) =>
    Array.from({ length: 20 }, (_, i) =>
      world.admin.post(links, oidcLink({ oidc_profile_id: oidc, subject: `${links} ${i}` })),
    )
  const replies = await Promise.all([
    ...makeMany(a.oidcLinks),
    world.admin.delete(a.at),
    ...makeMany(b.oidcLinks),
    world.admin.delete(`${realm}/oidc-profiles/${oidc}`),
  ])
  for (const { status } of replies) expect([201, 204, 404, 422]).toContain(status)
  const { rows } = await world.sql(
    'SELECT count(*)::int AS n FROM user_authentication_oidc_profile_infos WHERE oidc_profile_id = $1',
    [oidc],
  )
  expect(rows[0].n).toBe(0)
  expect(await total(b.oidcLinks)).toBe(0)
  await totalsAreRight()
})

test('deleting a user causes no errors for requests that are setting their password', async () => {
  const { passwords, members } = await household()
  const [{ at, passwordLinks }] = members
  // A password takes a while to hash: meanwhile the user goes.
  const links = Array.from({ length: 4 }, (_, i) =>
    world.admin.post(passwordLinks, passwordLink({ password_profile_id: passwords, username: `late ${i}` })),
  )
  await world.admin.delete(at)
  for (const { status } of await Promise.all(links)) expect([201, 404]).toContain(status)
  await totalsAreRight()
})
