import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
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

/** Refuses a caller whose role has no policy that gives this right to the entries of the custom API. */
export async function mayUseEntries(work: Work, customApiId: string, right: EntryRight): Promise<void> {
  if (work.who.kind === 'client_credentials') return
  const [policy] = await work.store.glance(
    `SELECT doc->>$4 FROM custom_api_role_policies WHERE store_id = $1 AND custom_api_id = $2 AND role_id = $3`,
    customApiId,
    roleOf[work.who.kind] ?? null,
    right,
  )
  if (policy?.[0] !== 'true') {
    throw new Problem('forbidden', 'You do not have permission to access this resource.')
  }
}
