import { unauthorized } from '../../kernel/auth/tokens.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import type { AwaitedUser } from '../identity/user-hooks.ts'
import type { SignIn } from '../identity/user-token-epoch.ts'
import { hashOf } from '../oidc/sign-in-request.ts'
import { invitations } from './invitations.ts'
import { givePassword } from './password-of-colleague.ts'

/** Sets the password of an invited colleague, whose email address is their username, and uses up the link. */
export async function acceptInvitation(
  work: Work,
  realmId: string,
  { invitation, password }: { readonly invitation: string; readonly password: string },
): Promise<SignIn> {
  // People copy the link as it is, with the store before the secret.
  const hash = hashOf(invitation.split('.').at(-1) ?? '')
  const [found] = await work.store.run(
    `SELECT user_id FROM invitations WHERE store_id = $1 AND secret_hash = $2 AND (doc->>'expires_at')::timestamptz > $3`,
    hash,
    work.clock.now(),
  )
  const userId = found?.[0]
  if (!userId) throw linkEnded()
  return work.actingAs(userId).transaction(async (inside) => {
    await inside.store.lock(userAuthenticationInfos, userId)
    const used = await inside.store.removeAll(invitations, (bind) => `r.secret_hash = ${bind(hash)}`)
    if (!used.length) throw linkEnded()
    return givePassword(inside, realmId, userId, password)
  })
}

/**
 * Finds the colleague with this email address who is invited, or who has never been able to sign in. A provider has
 * verified the address, which proves as much as the link that was mailed to it, so the link is used up. Needs a
 * transaction.
 */
export async function acceptByEmail(
  work: Work,
  realmId: string,
  email: string,
): Promise<AwaitedUser | undefined> {
  const has = (table: string) => `EXISTS (SELECT FROM ${table} c WHERE c.store_id = $1
    AND c.realm_id = u.realm_id AND c.user_authentication_info_id = u.id)`
  const [found] = await work.store.run(
    `SELECT u.id FROM user_authentication_infos u
     JOIN role_assignments r ON r.store_id = u.store_id AND r.user_id = u.id
     LEFT JOIN invitations i ON i.store_id = u.store_id AND i.user_id = u.id
       AND (i.doc->>'expires_at')::timestamptz > $4
     WHERE u.store_id = $1 AND u.realm_id = $2 AND ${caseless('u.email')} = ${caseless('$3::text')}
       AND u.hidden->>'email_claimed' IS DISTINCT FROM 'true'
       AND (i.id IS NOT NULL OR NOT (${has('user_authentication_password_profile_infos')}
         OR ${has('user_authentication_oidc_profile_infos')}))
     ORDER BY i.id IS NULL, u.created_at, u.id LIMIT 1`,
    realmId,
    email,
    work.clock.now(),
  )
  const id = found?.[0]
  if (!id) return undefined
  await work.store.lock(userAuthenticationInfos, id)
  // Texts of times: a DELETE reads no time from one, because Citus thinks that it depends on a setting.
  const now = work.clock.now().toISOString()
  const used = await work.store.removeAll(
    invitations,
    (bind) => `r.user_id = ${bind(id)}::uuid AND r.doc->>'expires_at' > ${bind(now)}::text`,
  )
  return { id, isInvited: used.length > 0 }
}

/** The same words for every reason, so that nobody learns whether a link was one. */
export const linkEnded = () =>
  unauthorized(
    'The link is not valid: it has expired, was used or revoked, or a newer one replaced it. Ask a Store Admin for another one.',
  )
