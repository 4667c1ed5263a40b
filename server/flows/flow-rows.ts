import type { ValueRows } from '../field-values/index.ts'
import type { Rows } from '../kernel/storage/store.ts'
import { extendedBy } from './find-extended-by.ts'
import { isCore } from './kinds.ts'

/** The tables of the entries and fields of all flows. */
export const flowEntries: Rows = { table: 'flow_entries' }
export const flowFieldRows: Rows = { table: 'flow_fields' }

/** The rows whose documents have the fields of a flow. */
export const rowsOfFlow = ({
  id,
  slug,
}: {
  readonly id: string
  readonly slug: string
}): readonly ValueRows[] =>
  isCore(slug)
    ? extendedBy(slug).map(({ table, envelope }) => ({
        ...{ table, hides: true, where: () => 'true' },
        ...(envelope.fields === 'attributes' && { inside: 'attributes' }),
      }))
    : [{ ...flowEntries, hides: true, where: (bind) => `r.flow_id = ${bind(id)}` }]
