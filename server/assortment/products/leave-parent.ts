import type { Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { ProductFields, VariationMatrix } from '../product-fields/product-fields.ts'
import { products } from './products.ts'

/** Locks the parent: a build and this change wait for each other. */
export async function holdParent(
  { store }: Work,
  { hidden: { parent_id } }: Row<ProductFields>,
): Promise<void> {
  if (parent_id) await store.lock(products, parent_id)
}

/** Removes a deleted child from the matrix of its parent. A parent without children becomes a standard product. */
export async function leaveParent(work: Work, { id, hidden }: Row<ProductFields>): Promise<void> {
  const { parent_id } = hidden
  if (!parent_id) return
  const parent = await work.store.findWhole(products, parent_id)
  if (!parent) return
  const variation_matrix = without(parent.hidden.variation_matrix ?? {}, id)
  await change(work, products, [], parent_id, { variation_matrix })
}

/** The matrix without a child, and without options that become empty. */
function without(matrix: VariationMatrix, childId: string): VariationMatrix {
  const left: Record<string, string | VariationMatrix> = {}
  for (const [option, inside] of Object.entries(matrix)) {
    const remaining = typeof inside === 'string' ? inside : without(inside, childId)
    if (remaining !== childId && Object.keys(remaining).length) left[option] = remaining
  }
  return left
}
