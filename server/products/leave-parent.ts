import type { Row } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { change } from '../kernel/write/by-rules.ts'
import type { ProductFields, VariationMatrix } from './product-fields.ts'
import { products } from './products.ts'

/** Whoever builds the parent meanwhile is waited for, and waits. */
export async function holdParent(
  { store }: Work,
  { hidden: { parent_id } }: Row<ProductFields>,
): Promise<void> {
  if (parent_id) await store.hold(products, parent_id)
}

/** A child that is deleted by itself is no longer among those of its parent, which is none without any. */
export async function leaveParent(work: Work, { id, hidden }: Row<ProductFields>): Promise<void> {
  const { parent_id } = hidden
  if (!parent_id) return
  const parent = await work.store.findWhole(products, parent_id)
  if (!parent) return
  const variation_matrix = without(parent.hidden.variation_matrix ?? {}, id)
  await change(work, products, [], parent_id, { variation_matrix })
}

/** The matrix without a child, and without what is empty then. */
function without(matrix: VariationMatrix, childId: string): VariationMatrix {
  const left: Record<string, string | VariationMatrix> = {}
  for (const [option, inside] of Object.entries(matrix)) {
    const kept = typeof inside === 'string' ? inside : without(inside, childId)
    if (kept !== childId && Object.keys(kept).length) left[option] = kept
  }
  return left
}
