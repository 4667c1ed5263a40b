import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'

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
