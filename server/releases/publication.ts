import type { Work } from '../kernel/context.ts'
import type { EditionTotals } from './edition-totals.ts'

/** An edition of a catalog that is being written, in one snapshot of its store. */
export interface Publication {
  readonly work: Work
  readonly catalogId: string
  readonly edition: number
  /** When it was begun: what it brings was published then. */
  readonly at: string
  /** The hierarchies of the catalog, in its order. */
  readonly hierarchyIds: readonly string[]
  readonly totals: EditionTotals
}
