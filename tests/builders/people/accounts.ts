import type { Client } from '../../support/client.ts'
import { body, idOf } from '../../support/requests.ts'

/** Short ways to say what most of these tests say. */
export const password = 'eleven horses by the river'
export const account = (fields: object = {}) => body('account', { name: 'Riverside Bakery', ...fields })
export const address = (fields: object = {}) =>
  body('address', {
    first_name: 'Ada',
    last_name: 'Byron',
    line_1: '12 Mill Lane',
    county: 'Cambridgeshire',
    postcode: 'CB7 4AA',
    country: 'GB',
    ...fields,
  })
export const membership = (account_member_id: string) => body('account_membership', { account_member_id })
export const tagLinks = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'account_tag', id })) })

export async function accountRealm(client: Client): Promise<string> {
  const { body } = await client.get('/v2/settings/account-authentication')
  return `/v2/authentication-realms/${body.data.relationships.authentication_realm.data.id}`
}

/** A user of the account realm. */
export async function member(client: Client, fields: object = {}): Promise<string> {
  const user = body('user_authentication_info', { name: 'Ada Byron', email: 'ada@example.com', ...fields })
  return idOf(client.post(`${await accountRealm(client)}/user-authentication-info`, user))
}
