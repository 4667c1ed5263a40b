import type { ComponentType } from 'react'
import type { ResourceFields, Write } from '../api/document.ts'
import type { Item } from '../api/objects.ts'

/** What a tab knows of the object of its page. */
export interface TabProps {
  readonly item: Item
  readonly itemPath: string
  readonly etag: string | undefined
  readonly fields: ResourceFields
}

export interface RecordTab {
  /** Its name in the address: `?tab=prices`. */
  readonly id: string
  title(): string
  readonly Content: ComponentType<TabProps>
}

/** What the page of an object has beside what the document declares. */
export interface RecordParts {
  /** They stand before the tabs of every object, and the first is open at first. */
  readonly tabs: readonly RecordTab[]
  /** Whether the page has no button of its own for an operation, because a tab has a better one or it cannot succeed. */
  hides?(write: Write, item: Item): boolean
}

export const noParts: RecordParts = { tabs: [] }
