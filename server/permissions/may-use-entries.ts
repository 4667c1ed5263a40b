import type { Work } from '../kernel/work/context.ts'
import { builtInRoles } from './built-in-roles.ts'

/** What a role policy gives or denies. */
export type EntryRight = 'create' | 'list' | 'read' | 'update' | 'delete'

const idOf = (name: string) => builtInRoles.find((role) => role.name === name)?.id

/** The role that each kind of caller has. Administrators need no policy. */
const roleOf: Readonly<Record<string, string | undefined>> = {
  implicit: idOf('Guest Shopper'),
  'account-member': idOf('Registered Shopper'),
  customer: idOf('Registered Shopper'),
}

/**
 * Whether the caller's role has a policy that gives this right to the entries of the custom API: to all of them, as no
 * entry has an owner.
 */
export async function mayUseEntries(work: Work, customApiId: string, right: EntryRight): Promise<boolean> {
  if (work.who.kind === 'client_credentials') return true
  const [policy] = await work.store.glance(
    `SELECT doc->>$4 FROM custom_api_role_policies WHERE store_id = $1 AND custom_api_id = $2 AND role_id = $3`,
    customApiId,
    roleOf[work.who.kind] ?? null,
    right,
  )
  return policy?.[0] === 'true'
}
