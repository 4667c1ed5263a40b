import type { Row } from '../kernel/declare/resource.ts'
import type { Work } from '../kernel/work/context.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import { endTokensOf } from './user-token-epoch.ts'

/** A profile is about to go, its links with it: all who are linked to it change and are signed out. Who they are. */
export async function touchLinkedUsers(
  work: Work,
  links: 'user_authentication_oidc_profile_infos' | 'user_authentication_password_profile_infos',
  column: 'oidc_profile_id' | 'password_profile_id',
  { id, scope: [realmId] }: Row,
): Promise<readonly string[]> {
  const touched = await work.store.touchAll(userAuthenticationInfos, (bind) => {
    const realm = bind(realmId)
    return `realm_id = ${realm} AND id IN (
      SELECT user_authentication_info_id FROM ${links} WHERE store_id = $1 AND realm_id = ${realm} AND ${column} = ${bind(id)})`
  })
  await endTokensOf(work, realmId as string, touched)
  return touched
}
