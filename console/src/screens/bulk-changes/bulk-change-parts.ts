import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { BulkChangeTab } from './bulk-change-tab.tsx'

/** The tab cancels and puts back, after a look at what that would do. */
export const bulkChangeParts: RecordParts = {
  tabs: [{ id: 'progress', title: () => screenWords.bulkChanges.tab, Content: BulkChangeTab }],
  hides: ({ path }) => /\/(undo|cancel)$/.test(path),
}
