import type { Resource } from '../../api/document.ts'

/** Rights, secrets, definitions and shoppers' own carts are changed one at a time. A test compares this with the server. */
const oneAtATime: readonly string[] = [
  ...['application-keys', 'authentication-realms', 'user-authentication-info', 'permissions', 'colleagues'],
  ...['user-authentication-password-profile-info', 'user-authentication-oidc-profile-info'],
  ...['integrations', 'gateways', 'custom-apis', 'flows', 'currencies', 'carts'],
]

/** Updates that are no update of a resource, by the ids of their lists. */
const otherUpdates: readonly string[] = ['account-members', 'order-shipping-groups']

/** Whether the objects of a list can be changed at once. */
export function canChangeMany({ id, path, item, update }: Resource): boolean {
  if (!update || !item?.startsWith(`${path}/`) || otherUpdates.includes(id)) return false
  return !oneAtATime.includes(update.right.replace(/^\w+ /, ''))
}
