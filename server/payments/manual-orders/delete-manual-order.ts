import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { resolveId } from '../../kernel/query/find.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { orders } from '../../orders/index.ts'
import { forgetPayingShoppers } from '../../promotions/index.ts'
import { lockOrder } from '../transactions/settle.ts'

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
    const id = await resolveId(ctx, orders, [], params.id)
    const { order } = await lockOrder(ctx, id)
    if (!order.hidden.is_manual) {
      const detail = 'Only orders that were created without a cart can be deleted. Cancel this one instead.'
      throw new Problem('unprocessable', detail, { title })
    }
    const [other] = await ctx.store.run(
      `SELECT doc->>'gateway' FROM order_transactions
       WHERE store_id = $1 AND order_id = $2 AND doc->>'gateway' <> 'manual' LIMIT 1`,
      id,
    )
    if (other) {
      const detail = `The order has a payment with ${other[0]}, which a merchant must account for. Cancel the order instead.`
      throw new Problem('unprocessable', detail, { title })
    }
    await forgetPayingShoppers(ctx, id)
    return remove(ctx, orders, [], id, { ifMatch })
  },
})
