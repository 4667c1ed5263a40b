import { tokenEpochOf, userAuthenticationInfos } from '../identity/index.ts'
import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Work } from '../kernel/work/context.ts'

/**
 * Refuses (401) a customer whose token was revoked since the request started: hashing a password takes time, and
 * someone else may be the customer by now. It locks the user until the end of the transaction, so that nothing revokes
 * the token meanwhile but a new password, which makes a new version of the customer.
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
