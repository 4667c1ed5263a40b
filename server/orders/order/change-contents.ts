import { isDeepStrictEqual } from 'node:util'
import { hook } from '../../kernel/declare/hook.ts'
import type { Changes } from '../../kernel/shape/fields.ts'
import { changeThings } from '../../kernel/thing/change-thing.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { Transaction } from '../payment-state/transaction.ts'
import { orderValuesOf } from './derive-order.ts'
import { contentsIn, findContents, type OrderContents, updateContents } from './order-contents.ts'
import { type OrderFields, orders, type WholeOrder } from './orders.ts'

/** The payments of orders, by the ids of the orders. One that nobody has paid may be missing. */
export const paymentsOfOrders =
  hook<(work: Work, orderIds: readonly string[]) => Promise<ReadonlyMap<string, readonly Transaction[]>>>(
    'paymentsOfOrders',
  )

/** An order that nobody else changes, with all that is in it. */
interface OpenOrder {
  readonly order: WholeOrder
  readonly contents: OrderContents
}

/** What a deed makes of an order. Values that follow from its contents are not among `values`. */
interface ContentsOutcome {
  readonly contents: OrderContents
  readonly values?: Changes<OrderFields>
}

/**
 * Changes what is in orders, and what follows from it: their totals, what lists and the feed show of them, and what is
 * paid. The deed gets the orders by their ids, and returns what becomes of each. A Problem refuses all. Needs a
 * transaction. It does not ask who may see the orders.
 */
export async function changeContents(
  work: Work,
  ids: readonly string[],
  deed: (opened: readonly OpenOrder[]) => Promise<readonly ContentsOutcome[]>,
): Promise<readonly OpenOrder[]> {
  const { store } = work
  const changed = await changeThings(work, orders, ids, async (found) => {
    const foundIds = found.map(({ id }) => id)
    // After the lock: what its statement reads of other tables is from before its wait.
    const contents = await findContents(store, foundIds)
    const payments = await paymentsOfOrders(work, foundIds)
    const opened = found.map((order) => ({ order, contents: contentsIn(contents, order.id) }))
    const outcomes = await deed(opened)
    return opened.map(({ order, contents: before }, i) => {
      const { contents: after, values } = outcomes[i] ?? { contents: before }
      const paidWith = payments.get(order.id) ?? []
      const derived = orderValuesOf(order, after, paidWith, work.clock.now())
      return {
        values: { ...values, ...derived },
        contents: after,
        isOther: !isDeepStrictEqual(before, after),
      }
    })
  })
  for (const { before, after, outcome } of changed) {
    if (!outcome.isOther) continue
    await updateContents(store, after.id, outcome.contents)
    // Its items are other ones, also where its row shows nothing of that.
    if (after === before) await store.touch(orders, after.id)
  }
  return changed.map(({ after, outcome }) => ({ order: after, contents: outcome.contents }))
}
