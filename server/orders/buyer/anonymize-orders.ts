import { action } from '../../kernel/declare/action.ts'
import { hook } from '../../kernel/declare/hook.ts'
import { notFound, Problem, together } from '../../kernel/errors.ts'
import { holdFeed } from '../../kernel/feed/sequence.ts'
import { objectText } from '../../kernel/http/object-text.ts'
import { objectOf } from '../../kernel/openapi/named-schemas.ts'
import { group, list, text } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Work } from '../../kernel/work/context.ts'
import { canBeAnonymized } from '../order/order-states.ts'
import { type OrderRow, orders } from '../order/orders.ts'
import { stateOf } from '../order/prepare-order.ts'
import { type ForgottenOrders, forgetBuyer } from './forget-buyer.ts'

const ordersMax = 100

/** Forgets what other modules have of orders that were forgotten here: payments, deliveries, stored answers. */
export const onOrdersForgotten =
  hook<(work: Work, forgotten: ForgottenOrders) => Promise<void>>('onOrdersForgotten')

/** Removes the buyers from orders. */
export const anonymizeOrders = action({
  name: 'anonymize-orders',
  route: 'POST /v2/orders/anonymize',
  about:
    'Removes the buyer from orders, and all that a shopper can have written: names, email addresses, addresses and other texts become `**`; custom inputs and attributes are removed, and so are the carts that have become the orders. It does so also in the change feed and in what integrations answered. The orders must be fulfilled, refunded or cancelled; if one of them is not, none changes.',
  area: 'orders',
  status: 200,
  data: group(
    {
      order_ids: list(text({ max: 255 }), {
        required: true,
        maxItems: ordersMax,
        about: 'The ids of the orders.',
      }),
    },
    { required: true },
  ),
  shows: { data: shown.list(objectOf(() => orders)) },

  async run(ctx, { data }) {
    const { order_ids: names } = data as { readonly order_ids: readonly string[] }
    const ids = [...new Set(names.map((name) => name.toLowerCase()))]
    // As an erasure does, and so first: two of them cannot wait for each other.
    await holdFeed(ctx.store)
    const forgotten = await forgetBuyer(ctx, ids, (found) => {
      const rows = new Map(found.map((row) => [row.id, row]))
      const faults = names.flatMap((name, i) => faultOf(rows.get(name.toLowerCase()), name, i) ?? [])
      if (faults.length) throw together(faults)
    })
    await onOrdersForgotten(ctx, forgotten)
    const body = `{"data":[${forgotten.rows.map((row) => objectText(orders, row, ctx, true)).join(',')}]}`
    return { status: 200, body }
  },
})

/** Why an order cannot be anonymized; undefined if it can. */
function faultOf(row: OrderRow | undefined, name: string, i: number): Problem | undefined {
  const source = `data.order_ids.${i}`
  const title = 'Could not anonymize orders'
  if (!row) return notFound('order', name, { source, title, meta: { order_id: name } })
  const state = stateOf(row.doc)
  if (canBeAnonymized(state)) return undefined
  const { status, payment, shipping } = state
  const detail = `The order has status: ${status}, payment: ${payment}, shipping: ${shipping}. Only orders that are fulfilled, refunded or cancelled can be anonymized.`
  return new Problem('unprocessable', detail, { source, title, meta: { order_id: row.id } })
}
