import type { Principal } from '../../kernel/auth/principal.ts'

/** The SQL of the orders that a shopper sees: those of their own, or of the account of their token. */
export function ownOrders({ kind, shopper }: Principal, bind: (value: unknown) => string): string {
  if (kind === 'customer' && shopper) return `customer_id = ${bind(shopper.id)}::uuid`
  const account = kind === 'account-member' ? shopper?.claims.account_id : undefined
  return typeof account === 'string' ? `account_id = ${bind(account)}::uuid` : 'false'
}
