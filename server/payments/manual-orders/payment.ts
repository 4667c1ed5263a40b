import { Problem } from '../../kernel/errors.ts'
import { balanceOf, type Transaction, type WholeOrder } from '../../orders/index.ts'
import type { ManualOrderBody } from './fields.ts'

/** The transaction that brings an order to the payment that the request names; undefined for an unpaid order. */
export function paymentAs(body: ManualOrderBody, total: number): Transaction | undefined {
  const { payment } = body
  const { paid, authorized } = body.meta?.display_price ?? {}
  const complete = { status: 'complete', refundedAmount: 0 } as const
  switch (payment) {
    case 'paid':
      return { ...complete, type: 'purchase', amount: total }
    case 'refunded':
      return { ...complete, type: 'refund', amount: total, refundedAmount: total }
    case 'authorized':
      return { ...complete, type: 'authorize', amount: total }
    case 'partially_paid':
      return { ...complete, type: 'purchase', amount: partOf('paid', paid?.amount, total) }
    case 'partially_authorized':
      return { ...complete, type: 'authorize', amount: partOf('authorized', authorized?.amount, total) }
    default:
      return undefined
  }
}

function partOf(name: 'paid' | 'authorized', amount: number | undefined, total: number): number {
  if (amount !== undefined && amount > 0 && amount < total) return amount
  const source = `data.meta.display_price.${name}.amount`
  const accepted = total > 1 ? `from 1 to ${total - 1}` : 'less than the total, which is too low for a part'
  throw new Problem(
    'invalid_field',
    `${source} must be ${accepted} where data.payment is partially_${name}.`,
    {
      source,
    },
  )
}

/**
 * Refuses a request whose status or amounts contradict its payment. Any order may be cancelled, which is done
 * afterwards.
 */
export function mustAgree(body: ManualOrderBody, { doc, hidden }: WholeOrder): void {
  if (body.status !== undefined && body.status !== 'cancelled' && body.status !== doc.status) {
    const detail = `data.status must be ${doc.status} or cancelled where data.payment is ${body.payment}.`
    throw new Problem('invalid_field', detail, { source: 'data.status' })
  }
  const { payments, prices } = hidden
  const actual = { ...payments, balance_owing: balanceOf(prices.with_tax, payments) }
  for (const name of ['paid', 'authorized', 'balance_owing'] as const) {
    const amount = body.meta?.display_price?.[name]?.amount
    if (amount === undefined || amount === actual[name]) continue
    const source = `data.meta.display_price.${name}.amount`
    const detail = `${source} must be ${actual[name]} where data.payment is ${doc.payment}.`
    throw new Problem('invalid_field', detail, { source })
  }
}
