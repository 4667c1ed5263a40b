import { randomUUID } from 'node:crypto'
import { body, idOf } from '../../support/requests.ts'
import type { Client, Reply, World } from '../../support/world.ts'
import { account, accountRealm, member, membership, password } from './accounts.ts'

/** Account members who sign in, and short ways to say so. */
export const tokens = '/v2/account-members/tokens'
export const header = 'EP-Account-Management-Authentication-Token'

export const tokenRequest = (authentication_mechanism: string, fields: object = {}) =>
  body('account_management_authentication_token', { authentication_mechanism, ...fields })

export const settle = (world: World, fields: object) =>
  world.admin.put('/v2/settings/account-authentication', body('account_authentication_settings', fields))

/** A password profile of the account realm. */
export async function profile(client: Client, fields: object = {}): Promise<string> {
  const profiles = `${await accountRealm(client)}/password-profiles`
  return idOf(client.post(profiles, body('password_profile', { name: 'Passwords', ...fields })))
}

/** A member of one account who has a username and a password. */
export interface Person {
  readonly id: string
  readonly home: string
  readonly username: string
  readonly profileId: string
  /** Where the user is in the realm, and their username and password. */
  readonly user: string
  readonly link: string
}

export async function person(world: World, profileId: string): Promise<Person> {
  const [home, id] = [await idOf(world.admin.post('/v2/accounts', account())), await member(world.admin)]
  await idOf(world.admin.post(`/v2/accounts/${home}/account-memberships`, membership(id)))
  const user = `${await accountRealm(world.admin)}/user-authentication-info/${id}`
  const links = `${user}/user-authentication-password-profile-info`
  const username = `Person-${randomUUID()}`
  const fields = { username, password, password_profile_id: profileId }
  const link = await idOf(world.admin.post(links, body('user_authentication_password_profile_info', fields)))
  return { id, home, username, profileId, user, link: `${links}/${link}` }
}

export const byPassword = ({ username, profileId }: Person, fields: object = {}) =>
  tokenRequest('password', { password_profile_id: profileId, username, password, ...fields })

/** The headers that say who is calling. */
export async function signedIn(world: World, who: Person): Promise<Record<string, string>> {
  const { body } = await world.admin.post(tokens, byPassword(who))
  return { [header]: body.data[0].token as string }
}

/** What a refusal says, without what differs each time. */
export const refusal = ({ status, body }: Reply) => [status, body.errors?.[0].code, body.errors?.[0].source]
