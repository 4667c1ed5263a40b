import { notFound } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { userAuthenticationInfos } from './user-authentication-infos.ts'
import { endTokensOf } from './user-token-epoch.ts'

/**
 * A user changes with what they sign in with. Done before that is written: whoever writes or deletes holds the user
 * first, so no two of them wait for each other.
 */
export async function touchUser(work: Work, [realmId = '', userId = '']: readonly string[]): Promise<void> {
  // Deleted since the request began: nothing of theirs can be written any more.
  if (!(await work.store.touch(userAuthenticationInfos, userId, [realmId]))) throw noUser(userId)
}

/** What a user signs in with is no longer what it was: see endTokensOf. */
export async function signOutUser(work: Work, scope: readonly string[]): Promise<void> {
  await touchUser(work, scope)
  const [, userId = ''] = scope
  await endTokensOf(work, [userId])
}

/** Refuses to add to a user who is not there, before anything else is said about the request. */
export async function mustHaveUser(
  work: Work,
  [realmId = '', userId = '']: readonly string[],
): Promise<void> {
  const user = await work.store.find(userAuthenticationInfos, userId, [realmId])
  if (!user) throw noUser(userId)
}

const noUser = (id: string) => notFound('user authentication info', id)
