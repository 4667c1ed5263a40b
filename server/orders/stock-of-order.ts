import { allocate, deallocate, type Portion, ship } from '../inventories/index.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { contentsOfOrder } from './order-contents.ts'
import type { OrderState } from './order-states.ts'

/** Where the stock of an order is, and what it has taken from which location. */
export interface OrderStock {
  readonly state: 'none' | 'allocated' | 'shipped'
  readonly portions: readonly Portion[]
}

export const noStock: OrderStock = { state: 'none', portions: [] }

interface Step {
  readonly from: OrderState
  readonly to: OrderState
  readonly stock: OrderStock
  /** The version of the order that is about to change. */
  readonly version: number
}

/**
 * Moves the stock of an order that is cancelled or fulfilled, and says where it is then. An order whose stock is not
 * allocated has none to move.
 */
export async function followState(
  work: Work,
  orderId: string,
  { from, to, stock, version }: Step,
): Promise<OrderStock> {
  const isCancelled = to.status === 'cancelled' && from.status !== 'cancelled'
  const isShipped = to.shipping === 'fulfilled' && from.shipping !== 'fulfilled'
  if (stock.state !== 'allocated' || (!isCancelled && !isShipped)) return stock
  // Payments lock the order before its stock: in another order, the two could wait for each other.
  await work.store.lock({ table: 'orders' }, orderId)
  // Whoever has changed the order meanwhile may have moved its stock. This write then starts again.
  if ((await versionOf(work, orderId)) !== version) return stock
  await (isShipped ? ship : deallocate)(work, stock.portions)
  return isShipped ? { ...stock, state: 'shipped' } : noStock
}

async function versionOf({ store }: Work, orderId: string): Promise<number> {
  const [row] = await store.run('SELECT version FROM orders WHERE store_id = $1 AND id = $2', orderId)
  return Number(row?.[0])
}

/** Allocates the stock of an order for its first payment, or refuses (400). The caller has locked the order. */
export async function allocateStock(work: Work, orderId: string): Promise<OrderStock> {
  const { portions } = await contentsOfOrder(work.store, orderId)
  try {
    return { state: 'allocated', portions: await allocate(work, portions) }
  } catch (error) {
    if (!(error instanceof Problem) || !error.meta?.ids) throw error
    const detail = 'Not all items of the order are in stock any more, so it cannot be paid.'
    throw new Problem('bad_request', detail, { title: 'Insufficient stock', meta: error.meta })
  }
}
