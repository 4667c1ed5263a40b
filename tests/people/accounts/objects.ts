import { expect } from 'vitest'
import type { Client, Reply } from '../../support/client.ts'

/** Short ways to say what most of these tests say. */
export const body = (type: string, fields: object = {}) => ({ data: { type, ...fields } })
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

/** The id in the response to a create, which must be a 201. */
export async function idOf(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.id as string
}

export async function accountRealm(client: Client): Promise<string> {
  const { body } = await client.get('/v2/settings/account-authentication')
  return `/v2/authentication-realms/${body.data.relationships.authentication_realm.data.id}`
}

/** A user of the account realm. */
export async function member(client: Client, fields: object = {}): Promise<string> {
  const user = body('user_authentication_info', { name: 'Ada Byron', email: 'ada@example.com', ...fields })
  return idOf(client.post(`${await accountRealm(client)}/user-authentication-info`, user))
}

/** How often each status came. */
export async function statuses(replies: readonly Promise<Reply>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(replies)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
