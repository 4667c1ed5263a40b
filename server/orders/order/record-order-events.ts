import { record } from '../../kernel/feed/record.ts'
import type { Work } from '../../kernel/work/context.ts'
import { eventsBetween } from './order-events.ts'
import { firstState } from './order-states.ts'
import type { OrderRow } from './orders.ts'
import { shownOfOrder } from './shown-of-order.ts'

/** Records what a write has done to an order. Its row is locked, so the events are in order with its changes. */
export async function recordOrderEvents(
  work: Work,
  row: OrderRow,
  before: OrderRow | undefined,
): Promise<void> {
  const events = eventsBetween(before?.doc ?? firstState, row.doc)
  if (!events.length) return
  const hidden = Object.fromEntries(shownOfOrder.map((name) => [name, row.hidden[name]]))
  for (const event of events) {
    await record(work, {
      ...{ event, type: 'order', source: 'orders', id: row.id, personal: true },
      ...{ doc: JSON.parse(row.text) as object, hidden, row },
    })
  }
}
