import type { Work } from '../kernel/work/context.ts'
import type { EditionTotals } from './edition-totals.ts'
import type { Ways } from './product-sources.ts'

/** An edition of a catalog that is being written, in one snapshot of its store. */
export interface Publication {
  readonly work: Work
  readonly catalogId: string
  readonly edition: number
  /** Nothing of the catalog is published yet: there is nothing to compare with, and nothing to end. */
  readonly isFirst: boolean
  /** When it was begun: what it brings was published then. */
  readonly at: string
  /** The hierarchies of the catalog, in its order. */
  readonly hierarchyIds: readonly string[]
  readonly pricebookIds: readonly string[]
  readonly ways: Ways
  readonly totals: EditionTotals
}
