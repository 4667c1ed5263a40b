import { allocate, deallocate, type Portion, ship } from '../../assortment/index.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { contentsOfOrder } from './order-contents.ts'
import { isShippedBy, type OrderState } from './order-states.ts'

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
}

/**
 * Moves the stock of an order that is cancelled or fulfilled, and says where it is then. An order whose stock is not
 * allocated has none to move. The caller has locked the order.
 */
export async function followState(work: Work, { from, to, stock }: Step): Promise<OrderStock> {
  if (stock.state !== 'allocated') return stock
  const isShipped = isShippedBy(from, to)
  await (isShipped ? ship : deallocate)(work, stock.portions)
  return isShipped ? { ...stock, state: 'shipped' } : noStock
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

/** Makes the allocated stock of an order available again, because its payment has failed. */
export async function releaseStock(work: Work, stock: OrderStock): Promise<OrderStock> {
  await deallocate(work, stock.portions)
  return noStock
}
