import { unauthorized } from '../../kernel/auth/tokens.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { tokenEpochOf } from './user-token-epoch.ts'

/** Shoppers see only their own user, and what belongs to it. */
export const ownUser =
  (column: string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && `${column} = ${bind(shopper.id)}::uuid`

/**
 * Refuses changes by shoppers of themselves, unless the store allows them and the token is still valid: it may have
 * been revoked since the request started, and someone else may be the user by now. Call it after the row to change was
 * read, because everything that revokes tokens changes that row.
 */
export async function mustManageOneself(work: Work): Promise<void> {
  const { shopper } = work.who
  if (!shopper) return
  if (shopper.claims.account_member_self_management !== 'update_only') {
    throw new Problem(
      'forbidden',
      'Account members cannot change their own data: the setting account_member_self_management is disabled.',
    )
  }
  if ((await tokenEpochOf(work, shopper.id)) !== shopper.claims.epoch) {
    throw unauthorized('The account management token has been revoked; sign in again.')
  }
}
