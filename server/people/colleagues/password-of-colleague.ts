import type { Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add, change } from '../../kernel/write/by-rules.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { passwordProfiles } from '../passwords/password-profiles.ts'
import { userAuthenticationPasswordProfileInfos as links } from '../passwords/user-authentication-password-profile-infos.ts'

/**
 * Gives a colleague a password in place of all earlier ones, with their email address as the username. Signs them out
 * everywhere. Needs a transaction that has locked the user.
 */
export async function givePassword(
  work: Work,
  realmId: string,
  userId: string,
  password: string,
): Promise<SignIn> {
  const user = await work.store.find(userAuthenticationInfos, userId, [realmId])
  const password_profile_id = await profileOf(work, realmId)
  const values = { username: user?.doc.email ?? '', password }
  // Changed rather than replaced: the last Store Admin is never without one.
  const [before] = await work.store.run(
    `SELECT id FROM ${links.table} WHERE store_id = $1 AND realm_id = $2 AND user_authentication_info_id = $3
     AND password_profile_id = $4 ORDER BY created_at, id LIMIT 1`,
    realmId,
    userId,
    password_profile_id,
  )
  const scope = [realmId, userId]
  const { id } = before?.[0]
    ? await change(work, links, scope, before[0], values)
    : await add(work, links, scope, { ...values, password_profile_id })
  await work.store.removeAll(
    links,
    (bind) =>
      `r.realm_id = ${bind(realmId)} AND r.user_authentication_info_id = ${bind(userId)} AND r.id <> ${bind(id)}::uuid`,
  )
  return { userId, tokenEpoch: await tokenEpochOf(work, userId) }
}

/** The password profile of colleagues, if there is one: the oldest of the realm. */
export async function oldestProfile(store: Store, realmId: string): Promise<string | undefined> {
  const [row] = await store.read(
    'SELECT id FROM password_profiles WHERE store_id = $1 AND realm_id = $2 ORDER BY created_at, id LIMIT 1',
    realmId,
  )
  return row?.[0] ?? undefined
}

/** The password profile of colleagues. The first colleague makes it. */
async function profileOf(work: Work, realmId: string): Promise<string> {
  await work.store.advisoryLock(`password profile of ${realmId}`)
  return (
    (await oldestProfile(work.store, realmId)) ??
    (await add(work, passwordProfiles, [realmId], { name: 'Colleagues', username_format: 'email' })).id
  )
}
