import type { Resource } from '../../kernel/declare/resource.ts'

/** Members see only what belongs to the account of their token, not to its ancestors or descendants. */
export const ownAccount =
  (condition: (account: string) => string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && condition(`${bind(shopper.claims.account_id)}::uuid`)
