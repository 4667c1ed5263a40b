import { Problem } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import type { Call } from '../kernel/operations.ts'
import { type Ask, type Filter, parse } from '../kernel/query/parse.ts'
import type { Store } from '../kernel/storage/store.ts'

/** The kinds of objects that hold personal data, each with its type in the change feed. */
export const feedTypes = {
  customer: 'customer',
  account: 'account',
  // A member is a user of the account realm, and changes with the user.
  'account-member': 'user_authentication_info',
  'account-membership': 'account_membership',
  address: 'address',
  'user-authentication-info': 'user_authentication_info',
  'user-authentication-oidc-profile-info': 'user_authentication_oidc_profile_info',
  'user-authentication-password-profile-info': 'user_authentication_password_profile_info',
  order: 'order',
} as const

export type DataEntryType = keyof typeof feedTypes

export const dataEntryTypes = Object.keys(feedTypes) as readonly DataEntryType[]

/** One object that holds personal data. */
export interface DataEntry {
  readonly type: DataEntryType
  readonly id: string
}

/** The id of whom an entry is about: erasing any entry of their set erases all of it. */
export async function findRoot(store: Store, { type, id }: DataEntry): Promise<string | undefined> {
  const [row] = await store.rows('SELECT personal_data_root($1, $2::text, $3::uuid)', type, id)
  return row?.[0] ?? undefined
}

/** What a list is asked for, and about which entry: its filter must name one, and may say nothing else. */
export function askAboutEntry({ query }: Call): { ask: Ask; entry: DataEntry } {
  const ask = parse(query)
  const [one, other, ...more] = ask.filter?.is === 'and' ? ask.filter.parts : []
  const type = valueIn('resource_type', one) ?? valueIn('resource_type', other)
  const id = valueIn('resource_id', one) ?? valueIn('resource_id', other)
  if (type === undefined || id === undefined || more.length) {
    const form = 'eq(resource_type,customer):eq(resource_id,<id>)'
    throw refusal(`resource_type and resource_id must both be given, and nothing else: ${form}`)
  }
  // Objects write their own `type` with an underscore.
  const named = dataEntryTypes.find((known) => known === type.replaceAll('_', '-'))
  if (!named) throw refusal(`[resource_type] takes one of ${dataEntryTypes.join(', ')}, not [${type}]`)
  if (!isId(id)) throw refusal(`[resource_id] takes a UUID, not [${id}]`)
  return { ask: { ...ask, filter: undefined }, entry: { type: named, id: id.toLowerCase() } }
}

const valueIn = (field: string, term: Filter | undefined): string | undefined =>
  term?.is === 'term' && term.op === 'eq' && term.field === field ? term.values[0] : undefined

const refusal = (detail: string) => new Problem('bad_filter', `bad filter: ${detail}`, { source: 'filter' })
