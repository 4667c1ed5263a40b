import { body, idOf } from '../../support/requests.ts'
import type { Client, Reply, World } from '../../support/world.ts'
import { passwordLink, passwordProfile, realmsOf, user } from './realms.ts'

export const colleaguePassword = 'eleven horses by the river'

let made = 0

/** The id of a role by its name. */
export async function roleId(client: Client, name: string): Promise<string> {
  const { body } = await client.get('/v2/permissions/built-in-roles')
  return body.data.find((role: { name: string }) => role.name === name).id
}

/** A role for a user, as a request sends it. */
export const assignment = (userId: string, role: string) =>
  body('role_assignment', {
    relationships: {
      user: { data: { type: 'user_authentication_info', id: userId } },
      role: { data: { type: 'built_in_role', id: role } },
    },
  })

/** A user of the merchant realm who has a password and, if it is named, a role. */
export async function addColleague(client: Client, role?: string) {
  const { merchants } = await realmsOf(client)
  const realm = `/v2/authentication-realms/${merchants}`
  const { body: profiles } = await client.get(`${realm}/password-profiles`)
  const password_profile_id =
    profiles.data[0]?.id ?? (await idOf(client.post(`${realm}/password-profiles`, passwordProfile())))
  const email = `colleague-${made++}@example.com`
  const userId = await idOf(client.post(`${realm}/user-authentication-info`, user({ email })))
  const passwords = `${realm}/user-authentication-info/${userId}/user-authentication-password-profile-info`
  const passwordId = await idOf(
    client.post(
      passwords,
      passwordLink({ username: email, password: colleaguePassword, password_profile_id }),
    ),
  )
  const assignmentId =
    role === undefined
      ? undefined
      : await idOf(
          client.post('/v2/permissions/role-assignments', assignment(userId, await roleId(client, role))),
        )
  return { userId, email, passwords, passwordId, assignmentId }
}

/** Signs in with a password. */
export const signInAs = (
  { nobody, storeId }: Pick<World, 'nobody' | 'storeId'>,
  username: string,
  fields: object = {},
): Promise<Reply> =>
  nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'password', store: storeId, username, password: colleaguePassword },
      ...fields,
    }),
  )

/** A colleague with a role, who has signed in. */
export async function colleagueOf(world: World, role: string) {
  const colleague = await addColleague(world.admin, role)
  const { body, headers, status } = await signInAs(world, colleague.email)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const { token, session_id: sessionId } = body.data
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  return { ...colleague, sessionId, cookie, client: world.clientWith(token) }
}
