import { unauthorized } from '../kernel/auth/tokens.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { tokenEpochOf } from './user-token-epoch.ts'

/** Of users and what is theirs, a shopper sees themself. */
export const ownUser =
  (column: string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && `${column} = ${bind(shopper.id)}::uuid`

/**
 * A shopper changes themself only where the store lets its members do so; and only while their token is good, which it
 * may have ceased to be since the request began: someone else may be the user by now. To be called when the row that is
 * to change has been read: whatever ends tokens changes it.
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
