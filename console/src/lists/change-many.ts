import type { ComponentType } from 'react'
import type { Resource, ResourceFields } from '../api/document.ts'

/** What a window that changes many objects of a list knows. */
export interface ChangeManyProps {
  readonly resource: Resource
  readonly fields: ResourceFields
  readonly listPath: string
  readonly filter: string | undefined
  /** How many objects match. */
  readonly total: number | undefined
  /** The objects that are selected. */
  readonly ids: readonly string[]
  /** Called with the page of the work. */
  onStarted(path: string): void
  onClose(): void
}

/** How the objects of a list are changed at once. */
export interface ChangeMany {
  readonly Window: ComponentType<ChangeManyProps>
  /** The caller needs all of them. */
  readonly rights: readonly string[]
}
