import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Work } from '../../kernel/work/context.ts'
import { userAuthenticationInfos } from '../identity/user-authentication-infos.ts'
import { tokenEpochOf } from '../identity/user-token-epoch.ts'

/**
 * Refuses (401) a customer whose token was revoked since the request started, because hashing a password takes time.
 * The lock on the user holds until the end of the transaction. Meanwhile only a new password can revoke the token, and
 * that also makes a new version of the customer.
 */
export async function mustStillBeSignedIn(
  work: Work,
  { hidden }: { readonly hidden: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { shopper } = work.who
  if (!shopper) return
  const isUser = (await work.store.lock(userAuthenticationInfos, shopper.id)).size > 0
  const epoch = isUser ? await tokenEpochOf(work, shopper.id) : undefined
  if (epoch === shopper.session.epoch && hidden.password_epoch === shopper.session.password_epoch) return
  throw unauthorized('The customer token has been revoked; sign in again.')
}
