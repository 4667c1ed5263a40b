import type { Product } from './product-fields.ts'

type TypeFacts = Pick<Product, 'parent_id' | 'components' | 'variation_matrix'>

/** The type of a product, which follows from its values. */
export function findProductType({
  parent_id,
  components,
  variation_matrix,
}: TypeFacts): Product['product_type'] {
  if (parent_id) return 'child'
  if (Object.keys(components ?? {}).length) return 'bundle'
  return Object.keys(variation_matrix ?? {}).length ? 'parent' : 'standard'
}
