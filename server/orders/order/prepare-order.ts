import { hook } from '../../kernel/declare/hook.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { withoutNulls } from '../../people/index.ts'
import type { Transaction } from '../payment-state/transaction.ts'
import { mustBeWhole } from './addresses.ts'
import { paymentValuesOf } from './derive-order.ts'
import { checkChange, isCancelledBy, isShippedBy, mustTakeAddress, type OrderState } from './order-states.ts'
import type { OrderFields, WholeOrder } from './orders.ts'
import { followState } from './stock-of-order.ts'

/**
 * Cancels the manual authorizations of a cancelled order, which no other call can cancel. Returns its payments as they
 * are then. The order is locked.
 */
export const giveUpPayments =
  hook<(work: Work, order: WholeOrder) => Promise<readonly Transaction[]>>('giveUpPayments')

/** Completes an order that is about to be written, or refuses the change. */
export async function prepareOrder(work: Work, draft: Draft<OrderFields>): Promise<void> {
  const { before, changes = {}, values } = draft
  if (values.external_ref === '') values.external_ref = undefined
  if (values.order_number === '') values.order_number = undefined
  if (values.payment_intent_id === '') values.payment_intent_id = undefined
  if (values.billing_address) values.billing_address = withoutNulls(values.billing_address)
  if (values.shipping_address) values.shipping_address = withoutNulls(values.shipping_address)
  if (!before) {
    draft.createdAt = values.placed_at
    return
  }
  const [from, to] = [stateOf(before.doc), stateOf(values)]
  // Payments set the status themselves; clients cannot set the payment.
  if (changes.payment === undefined) checkChange(from, to)
  // The address of an order that is anonymized just now has lost its texts, and is no new one.
  const isAnonymized = values.anonymized && !before.doc.anonymized
  if (changes.shipping_address && values.shipping_address && !isAnonymized) {
    mustTakeAddress(from)
    mustBeWhole(values.shipping_address, 'data.shipping_address')
  }
  const isCancelled = isCancelledBy(from, to)
  if (!isCancelled && !isShippedBy(from, to)) return
  // The order is locked, as it is a thing, and its stock after it.
  values.stock = await followState(work, { from, to, stock: values.stock })
  if (!isCancelled) return
  const { prices, fully_paid_at: paidAt } = before.hidden
  const money = {
    ...{ total: prices.with_tax, isCancelled },
    transactions: await giveUpPayments(work, before),
  }
  Object.assign(values, paymentValuesOf(money, paidAt, work.clock.now()))
}

/** The state of the order with these values. */
export const stateOf = ({ status, payment, shipping }: Partial<OrderState>): OrderState => {
  if (!status || !payment || !shipping) throw new Error('an order has a state')
  return { status, payment, shipping }
}
