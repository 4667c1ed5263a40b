import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { StockTab } from './stock-tab.tsx'

/** The tab changes an amount; the declared form would take JSON. */
export const stockParts: RecordParts = {
  tabs: [{ id: 'stock', title: () => screenWords.stock.tab, Content: StockTab }],
  hides: ({ method }) => method === 'PUT',
}
