import type { ValueRows } from '../field-values/index.ts'
import type { Work } from '../kernel/work/context.ts'
import type { ExtendedResources } from './find-extended-by.ts'
import { flowEntries } from './flow-rows.ts'
import { isCore, kindOf } from './kinds.ts'

interface Flow {
  readonly id: string
  readonly slug: string
}

/** The rows whose documents have the fields of a flow. */
export const rowsOfFlow = (flow: Flow, extended: ExtendedResources): readonly ValueRows[] =>
  isCore(flow.slug)
    ? (extended[flow.slug] ?? []).map(({ table, envelope }) => ({
        ...{ table, hides: true, where: () => 'true' },
        ...(envelope.fields === 'attributes' && { inside: 'attributes' }),
      }))
    : [{ ...flowEntries, hides: true, where: (bind) => `r.flow_id = ${bind(flow.id)}` }]

/** Makes new versions of the products of a template, because they show its values. */
export async function touchShownWith(
  { store }: Work,
  { id, slug }: Flow,
  extended: ExtendedResources,
): Promise<void> {
  if (kindOf(slug) !== 'template') return
  for (const rows of extended.products ?? [])
    await store.touchAll(
      rows,
      (bind) =>
        `r.id IN (SELECT e.product_id FROM flow_entries e WHERE e.store_id = $1 AND e.flow_id = ${bind(id)}::uuid)`,
    )
}
