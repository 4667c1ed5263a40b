import type { Write } from '../../api/document.ts'
import { type Item, valueAt } from '../../api/objects.ts'
import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { OrderTab } from './order-tab.tsx'

/** Payments and shipping groups are in the tab; only orders that a seller has entered can be deleted. */
function hides({ method, path }: Write, order: Item): boolean {
  if (method === 'DELETE') return valueAt(order, 'meta.is_manual') !== true
  if (/\/(payments|shipping-groups)$/.test(path)) return true
  // Without an intent of the cart there is nothing to confirm.
  return path.endsWith('/confirm') && !order.payment_intent_id
}

export const orderParts: RecordParts = {
  tabs: [{ id: 'order', title: () => screenWords.orders.tab, Content: OrderTab }],
  hides,
}
