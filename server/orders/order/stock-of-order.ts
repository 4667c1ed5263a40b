import {
  allocate,
  awaitStock,
  crowdedStocks,
  deallocate,
  type Portion,
  ship,
} from '../../assortment/index.ts'
import { Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { portionsOfOrder } from './order-contents.ts'
import { isShippedBy, type OrderState } from './order-states.ts'
import type { WholeOrder } from './orders.ts'

/** Where the stock of an order is, and what it has taken from which location. */
export interface OrderStock {
  readonly state: 'none' | 'allocated' | 'shipped'
  readonly portions: readonly Portion[]
}

export const noStock: OrderStock = { state: 'none', portions: [] }

interface StateStep {
  readonly from: OrderState
  readonly to: OrderState
  readonly stock: OrderStock
}

/**
 * Moves the stock of an order that is cancelled or fulfilled, and says where it is then. An order whose stock is not
 * allocated has none to move. The caller has locked the order.
 */
export async function followState(work: Work, { from, to, stock }: StateStep): Promise<OrderStock> {
  if (stock.state !== 'allocated') return stock
  const isShipped = isShippedBy(from, to)
  await (isShipped ? ship : deallocate)(work, stock.portions)
  return isShipped ? { ...stock, state: 'shipped' } : noStock
}

/** Where the stock of an order is after a change of its payments. */
export interface ChangedStock {
  readonly stock: OrderStock
  /** Takes what is to be allocated: the last step of a transaction, which fails (400) if it is sold out. */
  readonly take?: () => Promise<void>
}

/** Where other buyers wait for the stock of an order, this one waits too, before its payment holds anything. */
export async function awaitStockOf(work: Work, orderId: string): Promise<void> {
  if (!crowdedStocks(work).length || !isId(orderId)) return
  const [row] = await work.store.read(
    `SELECT product_ids FROM orders WHERE store_id = $1 AND id = $2 AND hidden->'stock'->>'state' = 'none'`,
    orderId,
  )
  if (row) awaitStock(work, JSON.parse(row[0] as string) as readonly string[])
}

/** The same for an order that is locked: a crowd may have come while its payment waited for a connection. */
export function awaitStockOfLocked(work: Work, { hidden }: WholeOrder): void {
  if (hidden.stock.state === 'none') awaitStock(work, hidden.product_ids ?? [])
}

/**
 * Allocates the stock of an order for its first payment, or refuses (400). The caller has locked the order, and may
 * have read what its items take.
 */
export async function allocateStock(
  work: Work,
  { id, hidden }: WholeOrder,
  read?: readonly Portion[],
): Promise<ChangedStock> {
  const wanted = read ?? (hidden.product_ids?.length ? await portionsOfOrder(work, id) : [])
  if (!wanted) throw new Error(`order ${id} has no contents`)
  const { portions, take } = await allocate(work, wanted, outOfStock)
  return { stock: { state: 'allocated', portions }, ...(portions.length > 0 && { take }) }
}

const outOfStock = (ids: readonly string[]): Problem =>
  new Problem('bad_request', 'Not all items of the order are in stock any more, so it cannot be paid.', {
    title: 'Insufficient stock',
    meta: { ids: [...new Set(ids)] },
  })

/** Makes the allocated stock of an order available again, because its payment has failed. */
export async function releaseStock(work: Work, stock: OrderStock): Promise<OrderStock> {
  await deallocate(work, stock.portions)
  return noStock
}
