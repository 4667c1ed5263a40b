import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { noContent } from '../../kernel/shape/answer.ts'
import { lockThing } from '../../kernel/thing/change-thing.ts'
import { removeRow } from '../../kernel/write/by-rules.ts'
import { mustMatchRow } from '../../kernel/write/must-match.ts'
import { orders } from '../../orders/index.ts'
import { forgetPayingShoppers } from '../../promotions/index.ts'

const title = 'Order cannot be deleted'

/** Deletes an order that a seller has entered. */
export const deleteManualOrder = action({
  name: 'delete-manual-order',
  route: 'DELETE /v2/orders/:id',
  about:
    'Deletes an order that was created without a cart, with its payments. Any other order is refused (422), and so is one that was paid with another gateway than the manual one.',
  area: 'orders',
  status: 204,
  queuesBy: 'id',
  refuses: ['unprocessable', 'precondition_failed'],
  shows: { body: null },
  async run(ctx, { params, ifMatch }) {
    const order = await lockThing(ctx, orders, params.id)
    if (!order) throw notFound('order', params.id)
    if (!order.hidden.is_manual) {
      const detail = 'Only orders that were created without a cart can be deleted. Cancel this one instead.'
      throw new Problem('unprocessable', detail, { title })
    }
    const [other] = await ctx.store.run(
      `SELECT doc->>'gateway' FROM order_transactions
       WHERE store_id = $1 AND order_id = $2 AND doc->>'gateway' <> 'manual' LIMIT 1`,
      order.id,
    )
    if (other) {
      const detail = `The order has a payment with ${other[0]}, which a merchant must account for. Cancel the order instead.`
      throw new Problem('unprocessable', detail, { title })
    }
    mustMatchRow(order, ifMatch)
    await forgetPayingShoppers(ctx, order.id)
    await removeRow(ctx, orders, order)
    return noContent
  },
})
