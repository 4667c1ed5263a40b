import type { Row } from '../../kernel/shape/model.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import { revokeTokensOf } from './user-token-epoch.ts'

/** Signs out the users with links to a profile that is about to be deleted. Returns their ids. */
export async function touchLinkedUsers(
  work: Work,
  links: Rows,
  column: 'oidc_profile_id' | 'password_profile_id',
  { id, scope: [realmId] }: Row,
): Promise<readonly string[]> {
  const touched = await work.store.touchAll(userAuthenticationInfos, (bind) => {
    const realm = bind(realmId)
    return `realm_id = ${realm} AND id IN (
      SELECT user_authentication_info_id FROM ${links.table} WHERE store_id = $1 AND realm_id = ${realm} AND ${column} = ${bind(id)})`
  })
  await revokeTokensOf(work, touched)
  return touched
}
