import type { Product } from './product-fields.ts'

type Told = Pick<Product, 'parent_id' | 'components' | 'variation_matrix'>

/** What a product is: it follows from what it has. */
export function productTypeOf({ parent_id, components, variation_matrix }: Told): Product['product_type'] {
  if (parent_id) return 'child'
  if (Object.keys(components ?? {}).length) return 'bundle'
  return Object.keys(variation_matrix ?? {}).length ? 'parent' : 'standard'
}
