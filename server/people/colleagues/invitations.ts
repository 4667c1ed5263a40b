import { unauthorized } from '../../kernel/auth/tokens.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Store } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { type SignIn, tokenEpochOf } from '../identity/user-token-epoch.ts'
import { hashOf, newSecret } from '../oidc/sign-in-request.ts'
import { passwordProfiles } from '../passwords/password-profiles.ts'
import { userAuthenticationPasswordProfileInfos } from '../passwords/user-authentication-password-profile-infos.ts'

const validMs = 3 * 24 * 60 * 60 * 1000

/** Makes a link for a user of the merchant realm, which sets their password once. It replaces an earlier one. */
export async function invite({ store }: Pick<Work, 'store'>, userId: string, now: Date): Promise<string> {
  const secret = newSecret()
  await store.run(
    `INSERT INTO colleague_invitations (store_id, user_id, secret_hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (store_id, user_id)
     DO UPDATE SET secret_hash = excluded.secret_hash, expires_at = excluded.expires_at`,
    userId,
    hashOf(secret),
    new Date(now.getTime() + validMs),
  )
  return secret
}

/** The page that a link leads to. Browsers keep what is behind the # to themselves. */
export const invitationLink = (baseUrl: string, storeId: string, secret: string): string =>
  `${baseUrl}/console/welcome#${storeId}.${secret}`

/** Sets the password of an invited colleague, whose email address is their username, and uses up the link. */
export async function acceptInvitation(
  work: Work,
  realmId: string,
  { invitation, password }: { readonly invitation: string; readonly password: string },
): Promise<SignIn> {
  // People copy the link as it is, with the store before the secret.
  const hash = hashOf(invitation.split('.').at(-1) ?? '')
  const [found] = await work.store.run(
    `SELECT i.user_id FROM colleague_invitations i
     JOIN user_authentication_infos u ON u.store_id = i.store_id AND u.id = i.user_id AND u.realm_id = $4
     WHERE i.store_id = $1 AND i.secret_hash = $2 AND i.expires_at > $3`,
    hash,
    work.clock.now(),
    realmId,
  )
  const userId = found?.[0]
  if (!userId)
    throw unauthorized('The link is not valid, or it has been used. Ask a Store Admin for another one.')
  return work.actingAs(userId).transaction(async (inside) => {
    const user = await inside.store.find(userAuthenticationInfos, userId, [realmId])
    await inside.store.lock(userAuthenticationInfos, userId)
    const used = await inside.store.run(
      'DELETE FROM colleague_invitations WHERE store_id = $1 AND secret_hash = $2 RETURNING 1',
      hash,
    )
    if (!user || !used.length) throw unauthorized('The link has just been used.')
    await inside.store.removeAll(
      userAuthenticationPasswordProfileInfos,
      (bind) => `r.realm_id = ${bind(realmId)} AND r.user_authentication_info_id = ${bind(userId)}`,
    )
    const password_profile_id = await profileOf(inside, realmId)
    const link = { username: user.doc.email, password, password_profile_id }
    await add(inside, userAuthenticationPasswordProfileInfos, [realmId, userId], link)
    return { userId, tokenEpoch: await tokenEpochOf(inside, userId) }
  })
}

/** The password profile of colleagues, if there is one: the oldest of the realm. */
export async function oldestProfile(store: Store, realmId: string): Promise<string | undefined> {
  const [row] = await store.read(
    'SELECT id FROM password_profiles WHERE store_id = $1 AND realm_id = $2 ORDER BY created_at, id LIMIT 1',
    realmId,
  )
  return row?.[0] ?? undefined
}

/** The password profile of colleagues. The first invited colleague makes it. */
async function profileOf(work: Work, realmId: string): Promise<string> {
  await work.store.advisoryLock(`password profile of ${realmId}`)
  return (
    (await oldestProfile(work.store, realmId)) ??
    (await add(work, passwordProfiles, [realmId], { name: 'Colleagues', username_format: 'email' })).id
  )
}

/** The user of the realm with this email address, if there is one. Of several, the oldest. */
export async function findByEmail(store: Store, realmId: string, email: string): Promise<string | undefined> {
  const [row] = await store.run(
    `SELECT id FROM user_authentication_infos WHERE store_id = $1 AND realm_id = $2
     AND ${caseless('email')} = ${caseless('$3::text')} ORDER BY created_at, id LIMIT 1`,
    realmId,
    email,
  )
  return row?.[0] ?? undefined
}
