import { record } from '../../kernel/feed/record.ts'
import type { Work } from '../../kernel/work/context.ts'
import { eventsBetween } from './order-events.ts'
import { firstState } from './order-states.ts'
import type { OrderRow } from './orders.ts'

/** The hidden values that responses are made of, as `track` of the table puts them into the feed with each change. */
const shownInFeed = [
  ...(['currency', 'prices', 'payments', 'fully_paid_at', 'is_manual'] as const),
  ...(['customer_id', 'account_id', 'account_member_id'] as const),
  ...(['item_ids', 'custom_discount_ids', 'promotion_ids'] as const),
] as const

/** Records what a write has done to an order. Its row is locked, so the events are in order with its changes. */
export async function recordOrderEvents(
  work: Work,
  row: OrderRow,
  before: OrderRow | undefined,
): Promise<void> {
  const events = eventsBetween(before?.doc ?? firstState, row.doc)
  if (!events.length) return
  const hidden = Object.fromEntries(shownInFeed.map((name) => [name, row.hidden[name]]))
  for (const event of events) {
    await record(work, {
      ...{ event, type: 'order', source: 'orders', id: row.id, personal: true },
      ...{ doc: JSON.parse(row.text) as object, hidden, row },
    })
  }
}
