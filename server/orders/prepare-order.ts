import type { Draft } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { mustBeWhole } from './addresses.ts'
import { checkChange, mustTakeAddress, type OrderState } from './order-states.ts'
import type { OrderFields } from './orders.ts'
import { followState, noStock } from './stock-of-order.ts'

/** Completes an order that is about to be written, or refuses the change. */
export async function prepareOrder(work: Work, draft: Draft<OrderFields>): Promise<void> {
  const { before, changes = {}, values } = draft
  if (values.external_ref === '') values.external_ref = undefined
  if (values.order_number === '') values.order_number = undefined
  if (!before) return
  const [from, to] = [stateOf(before.doc), stateOf(values)]
  // Payments set the status themselves; clients cannot set the payment.
  if (changes.payment === undefined) checkChange(from, to)
  if (changes.shipping_address && values.shipping_address && !values.anonymized) {
    mustTakeAddress(from)
    mustBeWhole(values.shipping_address, 'data.shipping_address')
  }
  const { version } = before
  values.stock = await followState(work, draft.id, { from, to, stock: values.stock ?? noStock, version })
}

/** The state of the order with these values. */
export const stateOf = ({ status, payment, shipping }: Partial<OrderState>): OrderState => {
  if (!status || !payment || !shipping) throw new Error('an order has a state')
  return { status, payment, shipping }
}
