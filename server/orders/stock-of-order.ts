import { deallocate, ship } from '../inventories/index.ts'
import type { Work } from '../kernel/work/context.ts'
import { contentsOfOrder } from './order-contents.ts'
import type { OrderState } from './order-states.ts'

export type StockState = 'none' | 'allocated' | 'shipped'

interface Step {
  readonly from: OrderState
  readonly to: OrderState
  readonly stock: StockState
}

/**
 * Moves the stock of an order that is cancelled or fulfilled, and says where it is then. An order whose stock is not
 * allocated has none to move.
 */
export async function followState(
  work: Work,
  orderId: string,
  { from, to, stock }: Step,
): Promise<StockState> {
  const isCancelled = to.status === 'cancelled' && from.status !== 'cancelled'
  const isShipped = to.shipping === 'fulfilled' && from.shipping !== 'fulfilled'
  if (stock !== 'allocated' || (!isCancelled && !isShipped)) return stock
  // Payments lock the order before its stock: in another order, the two could wait for each other.
  await work.store.lock({ table: 'orders' }, orderId)
  const { portions } = await contentsOfOrder(work.store, orderId)
  await (isShipped ? ship : deallocate)(work, portions)
  return isShipped ? 'shipped' : 'none'
}
