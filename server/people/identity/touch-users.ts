import { notFound } from '../../kernel/errors.ts'
import type { Row } from '../../kernel/shape/model.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import { revokeTokensOf } from './user-token-epoch.ts'

/**
 * Makes a new version of a user whose credentials change. Call it before the credentials are written: every write locks
 * the user first, so that no two of them deadlock.
 */
export async function touchUser(work: Work, [realmId = '', userId = '']: readonly string[]): Promise<void> {
  // The user was deleted after the request started.
  if (!(await work.store.touch(userAuthenticationInfos, userId, [realmId]))) throw noUser(userId)
}

/** As `touchUser`, and revokes the tokens of the user, because the credentials have changed. */
export async function signOutUser(work: Work, scope: readonly string[]): Promise<void> {
  await touchUser(work, scope)
  const [, userId = ''] = scope
  await revokeTokensOf(work, [userId])
}

/** Refuses (404) a request for a user who does not exist, before any other check. */
export async function mustHaveUser(
  work: Work,
  [realmId = '', userId = '']: readonly string[],
): Promise<void> {
  const user = await work.store.find(userAuthenticationInfos, userId, [realmId])
  if (!user) throw noUser(userId)
}

const noUser = (id: string) => notFound('user authentication info', id)

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

/**
 * Locks a user who only claims an email address, and drops the claim, because its owner is here. Returns whether the
 * user still claimed it. Like every change of what a user signs in with, it locks the user first: see touchUser.
 */
export async function dropEmailClaim(
  work: Work,
  realmId: string,
  userId: string,
  email: string,
): Promise<boolean> {
  const rows = await work.store.run(
    `UPDATE user_authentication_infos SET hidden = NULL WHERE store_id = $1 AND realm_id = $2 AND id = $3
     AND hidden->>'email_claimed' = 'true' AND ${caseless('email')} = ${caseless('$4::text')}
     RETURNING 1`,
    realmId,
    userId,
    email,
  )
  return rows.length > 0
}
