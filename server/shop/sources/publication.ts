import type { Work } from '../../kernel/work/context.ts'
import type { EditionTotals } from './edition-totals.ts'
import type { Ways } from './product-sources.ts'
import type { SearchValues } from './search-values.ts'

/** An edition that is being written, in one snapshot of the store. */
export interface Publication {
  readonly work: Work
  readonly catalogId: string
  readonly edition: number
  /** Whether nothing of the catalog is published yet, so that there is nothing to compare with or to end. */
  readonly isFirst: boolean
  /** When publishing began. New rows have this as their time of publication. */
  readonly at: string
  /** The hierarchies of the catalog, in order. */
  readonly hierarchyIds: readonly string[]
  readonly pricebookIds: readonly string[]
  readonly ways: Ways
  readonly totals: EditionTotals
  /** The values of the products that were published so far. */
  readonly values: SearchValues
}
