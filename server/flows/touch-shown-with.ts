import type { Work } from '../kernel/work/context.ts'
import { extendedBy } from './find-extended-by.ts'
import { kindOf } from './kinds.ts'

/** Makes new versions of the products of a template, because they show its values. */
export async function touchShownWith(
  { store }: Work,
  { id, slug }: { readonly id: string; readonly slug: string },
): Promise<void> {
  if (kindOf(slug) !== 'template') return
  for (const rows of extendedBy('products'))
    await store.touchAll(
      rows,
      (bind) =>
        `r.id IN (SELECT e.product_id FROM flow_entries e WHERE e.store_id = $1 AND e.flow_id = ${bind(id)}::uuid)`,
    )
}
