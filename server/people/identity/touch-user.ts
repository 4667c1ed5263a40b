import { notFound } from '../../kernel/errors.ts'
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
