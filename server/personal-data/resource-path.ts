import type { DataEntry } from './data-entries.ts'
import type { LogEntry } from './list-personal-data-logs.ts'

const users = '/v2/authentication-realms'

/** Where an object is, or was; undefined when the feed no longer knows what it belonged to. */
export function resourcePath(
  { type, id }: DataEntry,
  { parent, parent_id }: Pick<LogEntry, 'parent' | 'parent_id'>,
): string | undefined {
  switch (type) {
    case 'customer':
    case 'account':
    case 'account-member':
    case 'order':
      return `/v2/${type}s/${id}`
    case 'account-membership':
      return `/v2/accounts/${parent_id}/account-memberships/${id}`
    case 'address':
      return parent ? `/v2/${parent.type}s/${parent_id}/addresses/${id}` : undefined
    case 'user-authentication-info':
      return `${users}/${parent_id}/user-authentication-info/${id}`
    default:
      return parent
        ? `${users}/${parent.parent_id}/user-authentication-info/${parent_id}/${type}/${id}`
        : undefined
  }
}
