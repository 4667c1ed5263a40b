import type { Work } from '../../kernel/work/context.ts'
import { mustManageRealm } from '../identity/must-manage-realm.ts'
import { isAdministrator } from '../permissions/role-kinds.ts'

/** As `mustManageRealm`, for the erasure of a user of that realm, who may be named by something of theirs. */
export async function mayErase(work: Work, id: string): Promise<void> {
  const { store, who } = work
  if (who.sessionId === undefined || isAdministrator(who.grant)) return
  const ofUser = ['user_authentication_password_profile_infos', 'user_authentication_oidc_profile_infos'].map(
    (table) => `SELECT user_authentication_info_id FROM ${table} WHERE store_id = $1 AND id = $2`,
  )
  const ofColleague = ['colleague_sessions', 'invitations', 'role_assignments'].map(
    (table) => `SELECT user_id FROM ${table} WHERE store_id = $1 AND id = $2`,
  )
  const [user] = await store.run(
    `SELECT realm_id FROM user_authentication_infos
     WHERE store_id = $1 AND id IN (SELECT $2::uuid UNION ALL ${[...ofUser, ...ofColleague].join(' UNION ALL ')})`,
    id,
  )
  await mustManageRealm(work, user?.[0] ?? undefined)
}
