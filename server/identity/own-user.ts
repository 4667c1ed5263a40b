import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import type { Resource } from '../kernel/resource.ts'

/** Of users and what is theirs, a shopper sees themself. */
export const ownUser =
  (column: string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && `${column} = ${bind(shopper.id)}::uuid`

/** A shopper changes themself only where the store lets its members do so. */
export function mustManageOneself({ who }: Work): void {
  if (!who.shopper || who.shopper.claims.account_member_self_management === 'update_only') return
  throw new Problem(
    'forbidden',
    'Account members may not change themselves: the setting account_member_self_management is disabled.',
  )
}
