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

/** As `mustManageRealm`, for the erasure of a user of that realm, who may be named by something of theirs. */
export async function mayErase(work: Work, id: string): Promise<void> {
  const { store, who } = work
  if (who.sessionId === undefined || isAdministrator(who.grant)) return
  const ofUser = ['user_authentication_password_profile_infos', 'user_authentication_oidc_profile_infos'].map(
    (table) => `SELECT user_authentication_info_id FROM ${table} WHERE store_id = $1 AND id = $2`,
  )
  const ofColleague = ['colleague_sessions', 'role_assignments'].map(
    (table) => `SELECT user_id FROM ${table} WHERE store_id = $1 AND id = $2`,
  )
  const [user] = await store.run(
    `SELECT realm_id FROM user_authentication_infos
     WHERE store_id = $1 AND id IN (SELECT $2::uuid UNION ALL ${[...ofUser, ...ofColleague].join(' UNION ALL ')})`,
    id,
  )
  await mustManageRealm(work, user?.[0] ?? undefined)
}
