import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { isAdministrator } from '../permissions/role-kinds.ts'
import { merchantRealmId } from './store-realms.ts'

/**
 * Refuses changes of the realm of colleagues, of its users and of what they sign in with by colleagues who are no
 * administrators: they could sign in as an administrator. Other realms need the right to their area only.
 */
export async function mustManageRealm(work: Work, realmId: string | undefined): Promise<void> {
  const { who } = work
  if (who.sessionId === undefined || isAdministrator(who.grant)) return
  if (realmId?.toLowerCase() !== (await merchantRealmId(work))) return
  throw new Problem(
    'forbidden',
    'Only a Store Admin or an Org Admin can change how colleagues sign in. Ask one of them.',
  )
}
