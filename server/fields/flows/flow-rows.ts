import type { Rows } from '../../kernel/storage/store.ts'
import type { Work } from '../../kernel/work/context.ts'
import type { ValueRows } from '../values/changes.ts'
import { extendedBy } from './find-extended-by.ts'
import { isCore, kindOf } from './kinds.ts'

/** The tables of the entries and fields of all flows. */
export const flowEntries: Rows = { table: 'flow_entries' }
export const flowFieldRows: Rows = { table: 'flow_fields' }

type Flow = { readonly id: string; readonly slug: string }

/** The rows whose documents have the fields of a flow. */
export const rowsOfFlow = ({ id, slug }: Flow): readonly ValueRows[] =>
  isCore(slug)
    ? extendedBy(slug).map(({ table, envelope }) => ({
        ...{ table, hides: true, where: () => 'true' },
        ...(envelope.fields === 'attributes' && { inside: 'attributes' }),
      }))
    : [{ ...flowEntries, hides: true, where: (bind) => `r.flow_id = ${bind(id)}` }]

/** Makes new versions of the products of a template, because they show its values. */
export async function touchShownWith({ store }: Work, { id, slug }: Flow): Promise<void> {
  if (kindOf(slug) !== 'template') return
  for (const rows of extendedBy('products'))
    await store.touchAll(
      rows,
      (bind) =>
        `r.id IN (SELECT e.product_id FROM flow_entries e WHERE e.store_id = $1 AND e.flow_id = ${bind(id)}::uuid)`,
    )
}
