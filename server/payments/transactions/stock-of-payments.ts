import { Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import {
  allocateStock,
  type ChangedStock,
  isAuthorized,
  isPaid,
  isPending,
  type OrderStock,
  releaseStock,
  type Transaction,
} from '../../orders/index.ts'
import type { LockedOrder } from './payments-of-orders.ts'
import { isAnyUnknown } from './transaction-events.ts'

/** Whether the merchant has received the money and not returned all of it, or holds it. */
export const hasMoney = (transaction: Transaction): boolean =>
  isAuthorized(transaction) || (isPaid(transaction) && transaction.type !== 'refund')

/** Whether it receives or holds money, returned or not. It keeps the stock of its order: a refund returns no goods. */
export const isCounted = (transaction: Transaction): boolean =>
  isAuthorized(transaction) || isPaid(transaction)

/**
 * Where the stock of an order is after its transactions have changed. It is allocated while money is received, held or
 * asked for (`isCharged`), and given back when that fails. A Problem (400) if it is sold out.
 */
export async function stockAfter(
  work: Work,
  { order, money: { isCancelled }, portions }: LockedOrder,
  all: ReadonlyMap<string, Transaction>,
  isCharged: boolean,
): Promise<ChangedStock> {
  const { stock } = order.hidden
  if (isCancelled || stock.state === 'shipped') return { stock }
  if (isCharged || [...all.values()].some(isCounted)) {
    return stock.state === 'none' ? allocateStock(work, order, portions) : { stock }
  }
  return { stock: stock.state === 'none' ? stock : await releaseStock(work, stock) }
}

async function takeStockAfter(...args: Parameters<typeof stockAfter>): Promise<OrderStock> {
  const { stock, take } = await stockAfter(...args)
  await take?.()
  return stock
}

/** As `stockAfter`, after the gateway has answered about the transaction `id`; undefined if the stock is sold out. */
export async function stockOrShortage(
  work: Work,
  locked: LockedOrder,
  all: ReadonlyMap<string, Transaction>,
  id: string,
): Promise<OrderStock | undefined> {
  const { stock } = locked.order.hidden
  if (stock.state !== 'none') {
    const isCharged = ![...all.values()].some(isCounted) && (await isAnyUnknown(work, othersIn(all, id)))
    return takeStockAfter(work, locked, all, isCharged)
  }
  if (![...all.values()].some(isCounted)) return stock
  try {
    return await work.store.attempt(() => takeStockAfter(work, locked, all, false))
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return undefined
    throw error
  }
}

/** The other pending payments of the order. */
const othersIn = (all: ReadonlyMap<string, Transaction>, id: string): readonly string[] =>
  [...all].flatMap(([other, one]) => (other !== id && isPending(one) ? other : []))
