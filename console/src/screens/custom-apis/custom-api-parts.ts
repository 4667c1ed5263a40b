import type { RecordParts } from '../../records/record-parts.ts'
import { screenWords } from '../../words/words.ts'
import { DesignTab } from './design-tab.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import { TryTab } from './try-tab.tsx'

/** What a store adds to its API: its fields, who may do what with its entries, and a place to try it. */
export const customApiParts: RecordParts = {
  tabs: [
    { id: 'design', title: () => screenWords.customApis.tabs.design, Content: DesignTab },
    { id: 'policies', title: () => screenWords.customApis.tabs.policies, Content: PoliciesTab },
    { id: 'try', title: () => screenWords.customApis.tabs.try, Content: TryTab },
  ],
  // Entries have a list of their own, with a form that knows their fields.
  hides: ({ path }) => path.endsWith('/entries'),
}
