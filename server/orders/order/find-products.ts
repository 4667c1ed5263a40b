import { isProduct, type ProductLine } from '../../carts/index.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isVisible } from '../../kernel/query/find.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { contentsOfOrder } from './order-contents.ts'
import { orders } from './orders.ts'

/** The products of an order that the caller may read; a Problem (404), with the `source`, for any other. */
export async function readProductsOf(
  ctx: Ctx,
  orderId: string,
  source: string,
): Promise<readonly ProductLine[]> {
  const order = isId(orderId) ? await ctx.store.find(orders, orderId) : undefined
  if (!order || !(await isVisible(ctx, orders, order))) throw notFound('order', orderId, { source })
  const { contents } = await contentsOfOrder(ctx.store, order.id)
  return contents.lines.filter(isProduct)
}
