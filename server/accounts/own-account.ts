import type { Resource } from '../kernel/declare/resource.ts'

/** What a member sees is what belongs to the account of their token: not what is above it, below it or beside it. */
export const ownAccount =
  (condition: (account: string) => string): NonNullable<Resource['visible']> =>
  ({ shopper }, bind) =>
    shopper && condition(`${bind(shopper.claims.account_id)}::uuid`)
