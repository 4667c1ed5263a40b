import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
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

/** The same words for every reason, so that nobody learns whether a link was one. */
export const linkEnded = () =>
  unauthorized(
    'The link is not valid: it has expired, was used or revoked, or a newer one replaced it. Ask a Store Admin for another one.',
  )
