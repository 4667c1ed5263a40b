import type { Work } from '../../kernel/work/context.ts'
import { builtInRoles } from './built-in-roles.ts'

/** A right that a role policy grants or denies. */
type EntryRight = 'create' | 'list' | 'read' | 'update' | 'delete'

const idOf = (name: string) => builtInRoles.find((role) => role.name === name)?.id

/** The role of each kind of caller. Administrators need no policy. */
const roleOf: Readonly<Record<string, string | undefined>> = {
  implicit: idOf('Guest Shopper'),
  'account-member': idOf('Registered Shopper'),
  customer: idOf('Registered Shopper'),
}

/**
 * Whether a policy grants the caller's role this right to the entries of the custom API. It applies to all entries,
 * because entries have no owner.
 */
export async function isGranted(work: Work, customApiId: string, right: EntryRight): Promise<boolean> {
  if (work.who.kind === 'client_credentials') return true
  const [policy] = await work.store.read(
    `SELECT doc->>$4 FROM custom_api_role_policies WHERE store_id = $1 AND custom_api_id = $2 AND role_id = $3`,
    customApiId,
    roleOf[work.who.kind] ?? null,
    right,
  )
  return policy?.[0] === 'true'
}
