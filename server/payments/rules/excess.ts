import type { Report, Transaction } from '../../orders/index.ts'

/** What a gateway has received beyond the amount of a transaction. */
export interface Excess {
  readonly total: number
  /** How much of it is not returned yet. */
  readonly open: number
}

/**
 * Takes the excess out of the reports about a transaction. The shopper gets it back before anything of the payment, so
 * the first refunds are of the excess.
 */
export function withoutExcess(
  { amount }: Transaction,
  reports: readonly Report[],
): { readonly reports: readonly Report[]; readonly excess?: Excess } {
  const received = reports.reduce((sum, one) => (one.is === 'paid' ? (one.amount ?? sum) : sum), amount)
  const total = received - amount
  if (total <= 0) return { reports }
  const returned = reports.reduce((sum, one) => (one.is === 'refunded' ? Math.max(sum, one.amount) : sum), 0)
  return {
    reports: reports.flatMap((one) => {
      if (one.is !== 'refunded') return one
      const amount = Math.max(0, one.amount - total)
      return amount > 0 || one.failed ? { ...one, amount } : []
    }),
    excess: { total, open: Math.max(0, total - returned) },
  }
}
