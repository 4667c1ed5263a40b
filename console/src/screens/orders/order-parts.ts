import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { OrderTab } from './order-tab.tsx'

export const orderParts: RecordParts = {
  tabs: [{ id: 'order', title: () => screenWords.orders.tab, Content: OrderTab }],
}
